/**
 * Deletions and revocations of objects. Their list is shown at once, without the object; if the gateway refuses, the
 * object is back in the list and a notice says why.
 */
import { useEffect } from 'preact/hooks'
import { asApiError } from '../query.tsx'
import type { Changeable } from './change.tsx'
import { notify, notifyRefused } from './toast.tsx'

interface Deletion {
  id: string
  sent: Promise<unknown>
}

/** What the gateway has not answered. */
const pending = new Set<Deletion>()
/** Of the lists that are shown. */
const lists = new Set<(deletion: Deletion) => void>()

interface Started {
  id: string
  name: string
  /** Of the object in the console. */
  path: string
  /** What is done: "deleted". */
  done: string
  /** @returns what takes it back, if anything does */
  send: () => Promise<(() => Promise<void>) | undefined>
}

/** Call it before the list of the objects is opened. */
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

/** Leaves out of a list what is being deleted. */
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
