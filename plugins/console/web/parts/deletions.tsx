/**
 * Deletions and revocations of objects. The list is shown immediately without the object. If the gateway refuses, the
 * object reappears in the list and a notice shows the reason.
 */
import { useEffect } from 'preact/hooks'
import { asApiError } from '../query.tsx'
import type { Changeable } from './change.tsx'
import { notify, notifyRefused } from './toast.tsx'

interface Deletion {
  id: string
  sent: Promise<unknown>
}

/** Deletions that the gateway has not answered yet. */
const pending = new Set<Deletion>()
/** Listeners of the lists on the screen. */
const lists = new Set<(deletion: Deletion) => void>()

interface Started {
  id: string
  name: string
  /** The path of the object in the console. */
  path: string
  /** The past participle for notices: "deleted". */
  done: string
  /** @returns a function that restores the object, if that is possible */
  send: () => Promise<(() => Promise<void>) | undefined>
}

/** Call this before the list of the objects opens. */
export function startDeletion({ id, name, path, done, send }: Started): void {
  const sent = send()
  const deletion: Deletion = { id, sent }
  pending.add(deletion)
  for (const hide of lists) hide(deletion)
  sent
    .finally(() => pending.delete(deletion))
    .then(
      (takeBack) => notify(`${name} was ${done}.`, takeBack),
      (fault) => {
        const { status, message } = asApiError(fault)
        const why = status === 412 ? 'it has been changed since you opened it.' : message
        notifyRefused(`${name} was not ${done}: ${why}`, { title: 'Open it', path })
      },
    )
}

interface List {
  data: readonly object[]
  total: number
}

/** Hides objects from a list while they are being deleted. */
export function useDeletions<L extends List>({ expect, reload }: Changeable<L>): void {
  useEffect(() => {
    const hide = ({ id, sent }: Deletion) => {
      const shown = expect((list) => {
        const data = list.data.filter((one) => !('id' in one && one.id === id))
        return { ...list, data, total: list.total - (list.data.length - data.length) }
      })
      sent.then(
        () => {
          shown.done()
          reload()
        },
        () => shown.takeBack(),
      )
    }
    lists.add(hide)
    for (const deletion of pending) hide(deletion)
    return () => void lists.delete(hide)
  }, [])
}
