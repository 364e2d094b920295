/** Runs work once the store is reachable, if possible before the gateway starts to serve. */
import { isGatewayError, type Job } from '@gateway/contract'

const tryAgainMs = 2000

/** Does it now, or by the job that it gives. Rejects with what went wrong, unless the store was away. */
export async function atOpening(name: string, work: () => Promise<void>): Promise<Job[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'store_unavailable') throw error
  }
  let isDone = false
  const run = async () => {
    if (isDone) return
    await work()
    isDone = true
  }
  return [{ name, intervalMs: tryAgainMs, run }]
}
