/** Work that a stopping gateway waits for. */

export interface InFlight {
  readonly count: number
  /** Counts one piece of work, until the function given back is called. */
  begin(): () => void
}

export function createInFlight(): InFlight {
  let count = 0
  return {
    get count() {
      return count
    },
    begin() {
      let isRunning = true
      count += 1
      return () => {
        if (!isRunning) return
        isRunning = false
        count -= 1
      }
    },
  }
}
