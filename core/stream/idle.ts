/**
 * A limit on the silence between reads of an upstream's stream. Only time spent waiting for the upstream counts:
 * a slow caller is not the upstream's fault. Any bytes, comments too, begin the time anew.
 * Errors: `stream_idle_timeout`.
 */
import { GatewayError } from '../contract/index.ts'

interface Source extends AsyncIterable<Buffer> {
  destroy(): void
}

/** @param idleMs milliseconds; the source is destroyed when they pass, and when the consumer leaves */
export async function* limitIdleTime(
  source: Source,
  idleMs: number,
): AsyncGenerator<Buffer, void, undefined> {
  const reader = source[Symbol.asyncIterator]()
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
  try {
    for (;;) {
      waitingSince = Date.now()
      const step = await reader.next()
      waitingSince = null
      if (isIdle) throw new Error('idle')
      if (step.done === true) return
      yield step.value
    }
  } catch (error) {
    if (!isIdle) throw error
    throw new GatewayError('stream_idle_timeout', `The provider sent nothing for ${idleMs} ms.`, {
      cause: error,
    })
  } finally {
    clearTimeout(timer)
    source.destroy()
  }
}
