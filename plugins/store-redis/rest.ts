/**
 * Decides whether to use a server. After a few consecutive timeouts, all commands are refused immediately: requests
 * must not wait for a hung or slow server. Once a second, a background probe checks whether it answers in time again.
 */

/** Consecutive commands. */
const mostMissed = 5
const restMs = 1000

export interface Rest {
  /** Whether nothing is sent now. Starts the probe when it is due. */
  isResting(): boolean
  /** Called when a command was answered in time. */
  answered(): void
  /**
   * Called when a command was not answered in time. Several concurrent ones count as one miss.
   * @param sentAt in milliseconds since
   * the epoch
   */
  missed(sentAt: number): void
  /** Later commands use another connection. */
  end(): void
}

/** @param probe sends the server a small command; rejects if it is not answered in time */
export function createRest(probe: () => Promise<unknown>): Rest {
  let misses = 0
  let lastMissAt = 0
  let probeAt = 0
  let isProbing = false

  function begin(): void {
    misses = mostMissed
    probeAt = Date.now() + restMs
  }

  function end(): void {
    misses = 0
  }

  return {
    isResting() {
      if (misses < mostMissed) return false
      if (!isProbing && Date.now() >= probeAt) {
        isProbing = true
        probe()
          .then(end, begin)
          .finally(() => {
            isProbing = false
          })
      }
      return true
    },
    answered() {
      // Commands sent before the pause began say nothing about the current state.
      if (misses < mostMissed) misses = 0
    },
    missed(sentAt) {
      if (sentAt < lastMissAt) return
      lastMissAt = Date.now()
      misses += 1
      if (misses === mostMissed) begin()
    },
    end,
  }
}
