/** Loads content far below the fold only when the user scrolls to it. */
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** An element counts as visible within this distance below the screen, so it is loaded early. */
const margin = '200px'

/** Whether the element has ever been visible. */
export function useSeen(element: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (element.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        setSeen(true)
        observer.disconnect()
      },
      { rootMargin: margin },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return isSeen
}
