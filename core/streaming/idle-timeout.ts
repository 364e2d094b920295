/**
 * A limit on the silence between reads of an upstream's stream. Only time spent waiting for the upstream counts:
 * a slow caller is not the upstream's fault. Any bytes, comments too, begin the time anew.
 * Errors: `stream_idle_timeout`.
 */
import { GatewayError } from '@gateway/contract'

/** An upstream's body. */
export interface Source extends AsyncIterable<Buffer> {
  destroy(): void
}

export interface IdleClock {
  /** A read begins. */
  wait(): void
  /** It brought something. */
  arrived(): void
  stop(): void
  /** What a failed read means: the silence, if that ended it. */
  faultOf(error: unknown): unknown
}

/** @param idleMs milliseconds of silence after which the source is destroyed */
export function createIdleClock(source: Source, idleMs: number): IdleClock {
  let waitingSince: number | null = null
  let isIdle = false
  const look = () => {
    const restMs = waitingSince === null ? idleMs : waitingSince + idleMs - Date.now()
    if (restMs > 0) {
      timer = setTimeout(look, restMs)
      return
    }
    isIdle = true
    source.destroy()
  }
  let timer = setTimeout(look, idleMs)
  return {
    wait() {
      waitingSince = Date.now()
    },
    arrived() {
      waitingSince = null
    },
    stop: () => clearTimeout(timer),
    faultOf: (error) =>
      isIdle
        ? new GatewayError('stream_idle_timeout', `The provider sent nothing for ${idleMs} ms.`, {
            cause: error,
          })
        : error,
  }
}

/** The source with the limit; it is destroyed when the silence is too long, and when the consumer leaves. */
export async function* limitIdleTime(
  source: Source,
  idleMs: number,
): AsyncGenerator<Buffer, void, undefined> {
  const reader = source[Symbol.asyncIterator]()
  const clock = createIdleClock(source, idleMs)
  try {
    for (;;) {
      clock.wait()
      const step = await reader.next()
      clock.arrived()
      if (step.done === true) break
      yield step.value
    }
    // A source that was destroyed for its silence may end like one that is complete.
    const fault = clock.faultOf(null)
    if (fault !== null) throw fault
  } catch (error) {
    throw clock.faultOf(error)
  } finally {
    clock.stop()
    source.destroy()
  }
}
