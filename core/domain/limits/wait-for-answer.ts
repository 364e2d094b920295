/** Waits for answers, however late each comes, until there was no answer at all for a time. */
import { createSilenceWatch, silenceLimitMs } from './silence-watch.ts'

/**
 * The answer of a question; rejects with the fault of the silence that ended the wait.
 * @param tooLate takes an answer that comes after the wait has ended
 */
export type WaitForAnswer = <T>(question: () => T | Promise<T>, tooLate?: (answer: T) => void) => Promise<T>

/** @param fault what waits are rejected with; made once for each silence */
export function createWaitForAnswer(fault: () => Error, limitMs: number = silenceLimitMs): WaitForAnswer {
  /** Rejects each wait that is open. */
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
      // A rejection has been seen already, or comes from someone who is known to be silent.
      if (tooLate !== undefined) answer.then(tooLate, () => undefined)
      throw error
    } finally {
      open.delete(abandon)
      answered()
    }
  }
}
