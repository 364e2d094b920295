/** Axes of charts: round numbers above the largest value, and the available width. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const steps = [1, 2, 2.5, 5, 10]

/** Ticks from 0 to a round number that is not below the largest value. */
export function ticksOf(largest: number, most = 4): number[] {
  if (!(largest > 0)) return [0]
  const rough = largest / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = (steps.find((one) => one * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, index) => index * step)
}

/** The width in CSS pixels, so text in a drawing is as large as the text around it. */
export function useWidth(fallback: number): [RefObject<HTMLDivElement | null>, number] {
  const element = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(fallback)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new ResizeObserver(() => setWidth(Math.max(current.clientWidth, 200)))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
