/** Asks for confirmation before the user leaves a page with unsaved changes. */
import { useEffect, useState } from 'preact/hooks'
import { listenLeaving } from '../unsaved.tsx'
import { Confirm } from './dialog.tsx'

export function LeaveDialog() {
  const [leave, setLeave] = useState<(() => void) | null>(null)
  useEffect(() => {
    listenLeaving((next) => setLeave(() => next))
    return () => listenLeaving(null)
  }, [])
  if (leave === null) return null
  const close = () => setLeave(null)
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave"
      onClose={close}
      onConfirm={() => {
        close()
        leave()
      }}
    >
      <p>The changes on this page are not saved.</p>
    </Confirm>
  )
}
