/** Waits for answers: a single one may take any time, and a wait ends only when no answer at all has arrived for a while. */
import { createSilenceWatch, silenceLimitMs } from './silence-watch.ts'

/**
 * The answer to an operation; rejects with the error of the silence that ended the wait.
 * @param tooLate receives an
 * answer that arrives after the wait has ended
 */
export type WaitForAnswer = <T>(question: () => T | Promise<T>, tooLate?: (answer: T) => void) => Promise<T>

/** @param fault creates the error of pending waits, once for each silence */
export function createWaitForAnswer(fault: () => Error, limitMs: number = silenceLimitMs): WaitForAnswer {
  /** Rejects all pending waits. */
  const open = new Set<(error: Error) => void>()
  const watch = createSilenceWatch(() => {
    const error = fault()
    for (const reject of open) reject(error)
    open.clear()
  }, limitMs)
  return async (question, tooLate) => {
    const answered = watch.asked()
    let abandon: (error: Error) => void = () => undefined
    const abandoned = new Promise<never>((_, reject) => {
      abandon = reject
      open.add(reject)
    })
    const answer = Promise.resolve().then(question)
    try {
      return await Promise.race([answer, abandoned])
    } catch (error) {
      // The rejection was already handled, or belongs to a store that is known to be silent.
      if (tooLate !== undefined) answer.then(tooLate, () => undefined)
      throw error
    } finally {
      open.delete(abandon)
      answered()
    }
  }
}
