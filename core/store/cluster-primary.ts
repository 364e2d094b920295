/** The primary's side of shared state for `--workers N` without Redis: it keeps the state and answers the workers. */
import type { Cluster, Worker } from 'node:cluster'
import { isRequest, marked, type SharedStateRequest } from './cluster-messages.ts'
import { createMemorySharedState } from './memory/shared-state.ts'

/** Serves one shared state to all workers, including later ones, until it is closed. Call it in the primary. */
export function serveSharedState(cluster: Cluster): { close(): void } {
  const shared = createMemorySharedState()

  async function carryOut(request: SharedStateRequest): Promise<number | boolean | undefined> {
    const { operation, name, argument } = request
    if (operation === 'increment') return shared.increment(name, Number(argument))
    if (operation === 'acquire') return shared.acquire(name, Number(argument))
    if (operation === 'delete') await shared.delete(name)
    else tellAll(cluster, marked({ topic: name, message: String(argument) }))
    return undefined
  }

  async function answer(worker: Worker, message: unknown): Promise<void> {
    if (!isRequest(message)) return
    const value = await carryOut(message)
    tell(worker, marked(value === undefined ? { id: message.id } : { id: message.id, value }))
  }

  cluster.on('message', answer)
  return { close: () => void cluster.off('message', answer) }
}

function tellAll(cluster: Cluster, message: object): void {
  for (const worker of Object.values(cluster.workers ?? {})) if (worker !== undefined) tell(worker, message)
}

/** Sends to a worker; an exiting one may miss it. */
function tell(worker: Worker, message: object): void {
  if (worker.isConnected()) worker.process.send?.(message, undefined, undefined, () => undefined)
}
