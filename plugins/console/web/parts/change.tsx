/**
 * The only mechanism by which pages change data. The expected result is shown immediately, and reverted with a message
 * if the gateway refuses the change. If the API can restore the previous state, the notice that follows offers Undo.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { asApiError, type Query } from '../query.tsx'
import { notify, notifyRefused } from './toast.tsx'

/** The query whose data a page changes. */
export type Changeable<T> = Pick<Query<T>, 'data' | 'expect' | 'reload'>

/** The notice after a change. */
interface Said {
  text: string
  /** Reverts the change; omitted if that is not possible. */
  undo?: (() => Promise<unknown>) | undefined
}

interface Change<T, A> {
  /** Returns the expected data; omitted if it is known only from the answer. */
  expect?: (data: T) => T
  send: () => Promise<A>
  /** Null or omitted if the page itself shows the result. */
  said?: (answer: A) => Said | null
  /** The beginning of the message if the gateway refuses: "The invite was not cancelled". */
  refused: string
}

/** Prefixes the reason with the change that failed. */
const refusalOf = (refused: string, fault: unknown): ApiError => {
  const { status, code, message, faults, traceId } = asApiError(fault)
  return new ApiError(status, code, { message: `${refused}: ${message}`, faults, traceId })
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
  /** Shows the expected data while the request is pending. */
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
  /** For forms, which show errors next to their fields. Errors: {@link ApiError}. */
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
      // The page that would show the error is no longer open.
      if (isLeft.current) notifyRefused(refusal.message)
      throw refusal
    }
  }
  function change<A>(one: Change<T, A>): void {
    attempt(one).catch((refusal: unknown) => setError(asApiError(refusal)))
  }
  return { error, attempt, change }
}
