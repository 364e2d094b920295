/** Calls the service, with one retry while it is overloaded or unreachable. */
import { setTimeout as wait } from 'node:timers/promises'
import type { CheckIo, OutboundAnswer, OutboundRequest } from '@gateway/contract'

const attempts = 2
const pauseMs = 100

/** The service is overloaded or unreachable: the next attempt may succeed. */
const isTemporary = (status: number) => status === 429 || status >= 500

/**
 * Returns the answer with a status of 2xx. `io.fetchJson` rejects when the service does not answer in time, and returns
 * answers of every status.
 * @throws Error for any other status, and when the service cannot be reached
 */
export async function askService(io: CheckIo, request: OutboundRequest): Promise<OutboundAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attempts
    try {
      const answer = await io.fetchJson(request)
      if (answer.status >= 200 && answer.status <= 299) return answer
      if (isLast || !isTemporary(answer.status))
        throw new ServiceError(`The service returned status ${answer.status}.`)
    } catch (error) {
      if (isLast || error instanceof ServiceError || io.signal.aborted) throw error
    }
    await wait(pauseMs, undefined, { signal: io.signal })
  }
}

/** The service answered, and another attempt would not change that. */
class ServiceError extends Error {}
