/**
 * Ends a session while it waits for the provider. `Promise.race` with a promise that lives as long as the session would keep
 * every message until its end.
 */
export interface SessionEnding {
  /** Ends the session with an error. */
  fail(error: unknown): void
  /** Ends the session as if the provider had ended it. */
  finish(): void
  readonly isFinished: boolean
  /** The next message; null if the session ends first. */
  unlessOver(coming: Promise<string | null>): Promise<string | null>
}

export function createEnding(): SessionEnding {
  let failed: { error: unknown } | null = null
  let isFinished = false
  let reject: (error: unknown) => void = () => undefined
  let resolve: (text: null) => void = () => undefined
  return {
    fail(error) {
      failed ??= { error }
      reject(failed.error)
    },
    finish() {
      isFinished = true
      resolve(null)
    },
    get isFinished() {
      return isFinished
    },
    unlessOver(coming) {
      return new Promise((onCome, onFailed) => {
        reject = onFailed
        resolve = onCome
        coming.then(onCome, onFailed)
        if (failed !== null) onFailed(failed.error)
        else if (isFinished) onCome(null)
      })
    },
  }
}
