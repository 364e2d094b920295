/**
 * Decides whether to use a server. After a few consecutive timeouts everything is refused at once, so that requests do
 * not wait for a hung or slow server. Once a second, a background probe checks whether it answers in time again.
 */

/** Commands in a row. */
const mostMissed = 5
const restMs = 1000

export interface Rest {
  /** Whether nothing is sent now; begins the probe when it is due. */
  isResting(): boolean
  /** A command was answered in time. */
  answered(): void
  /** A command was not. Several that were under way together are one miss. @param sentAt in milliseconds since the epoch */
  missed(sentAt: number): void
  /** What is asked from now on is another connection. */
  end(): void
}

/** @param probe asks the server something small; rejects when it is not answered in time */
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
      // Those that were sent before the rest began say nothing about now.
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
