/**
 * Work that waits only sometimes. It returns its result, or a promise of the result when it has to wait: most requests
 * find their data in memory, and a promise for each step would cost more than the work. These functions stay
 * synchronous if their work is synchronous.
 */

export type MaybePromise<T> = T | Promise<T>

/** Continues with a result: immediately, or when its promise is fulfilled. */
export function andThen<T, R>(result: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return result instanceof Promise ? result.then(next) : next(result)
}

/** The same for work that may fail: its error, thrown or rejected, goes to `failed`. Errors of `next` do not. */
export function andThenOr<T, R>(
  work: () => MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
  failed: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let result: MaybePromise<T>
  try {
    result = work()
  } catch (error) {
    return failed(error)
  }
  return result instanceof Promise ? result.then(next, failed) : next(result)
}

/** All results, in order; waits only if one of them is a promise. */
export function allOf<T>(results: readonly MaybePromise<T>[]): MaybePromise<T[]> {
  return results.some(isPromise) ? Promise.all(results) : (results as T[])
}

const isPromise = (result: unknown) => result instanceof Promise

/** Runs work at the end of other work, even if that failed. */
export function afterAll<T>(work: () => MaybePromise<T>, end: () => void): MaybePromise<T> {
  return andThenOr<T, T>(
    work,
    (result) => {
      end()
      return result
    },
    (error) => {
      end()
      throw error
    },
  )
}
