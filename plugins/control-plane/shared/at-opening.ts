/** Runs work once the store is reachable, if possible before the gateway starts to serve. */
import { isGatewayError, type Job } from '@gateway/contract'

const tryAgainMs = 2000

/** Runs the work now. If the store is unavailable, returns a job that runs it later. Rejects with any other error. */
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
