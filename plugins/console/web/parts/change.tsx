/**
 * The one way in which pages change something: what the change makes is shown at once, goes back with a message if the
 * gateway refuses it, and can be undone from the notice that follows where the API can give back what was there.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { asApiError, type Query } from '../query.tsx'
import { notify, notifyRefused } from './toast.tsx'

/** What a page shows of a change: the query whose data changes. */
export type Changeable<T> = Pick<Query<T>, 'data' | 'expect' | 'reload'>

/** The notice once a change is made. */
interface Said {
  text: string
  /** Takes it back. Left out: there is no way back. */
  undo?: (() => Promise<unknown>) | undefined
}

interface Change<T, A> {
  /** What the data will be. Left out: that is only known from the answer. */
  expect?: (data: T) => T
  send: () => Promise<A>
  /** Null, or left out: the page shows what was done. */
  said?: (answer: A) => Said | null
  /** What the gateway did not do if it refuses, as the beginning of a sentence: "The invite was not cancelled". */
  refused: string
}

/** With what was not done before the reason. */
const refusalOf = (refused: string, fault: unknown): ApiError => {
  const { status, code, message, faults, traceId } = asApiError(fault)
  return new ApiError(status, code, `${refused}: ${message}`, faults, traceId)
}

/** @param onChanged called after each change, and after each undo of one */
export function useChange<T>(query: Changeable<T>, onChanged?: () => void) {
  const [error, setError] = useState<ApiError | null>(null)
  const isLeft = useRef(false)
  useEffect(
    () => () => {
      isLeft.current = true
    },
    [],
  )
  /** Shows the data while the gateway makes it true. */
  async function showing<A>(expect: ((data: T) => T) | undefined, work: () => Promise<A>): Promise<A> {
    const shown = expect === undefined ? null : query.expect(expect)
    try {
      const answer = await work()
      shown?.done()
      query.reload()
      onChanged?.()
      return answer
    } catch (fault) {
      shown?.takeBack()
      throw fault
    }
  }
  /** For forms, which show what was refused beside their fields. Errors: {@link ApiError}. */
  async function attempt<A>({ expect, send, said, refused }: Change<T, A>): Promise<void> {
    setError(null)
    const before = query.data
    try {
      const answer = await showing(expect, send)
      const { text, undo } = said?.(answer) ?? {}
      if (text === undefined) return
      if (undo === undefined) notify(text)
      else
        notify(text, async () => {
          await showing(before === null ? undefined : () => before, undo)
        })
    } catch (fault) {
      const refusal = refusalOf(refused, fault)
      // What would show it is gone.
      if (isLeft.current) notifyRefused(refusal.message)
      throw refusal
    }
  }
  function change<A>(one: Change<T, A>): void {
    attempt(one).catch((refusal: unknown) => setError(asApiError(refusal)))
  }
  return { error, attempt, change }
}
