/**
 * Counters of `--workers N` over an embedded store: the primary counts in memory for all workers, as a single process does,
 * and a worker asks it by process messages. Calls of one turn share a message, and so do their answers.
 * Errors: those of the counters; `dependency_unavailable` when the primary is gone.
 */
import type { Cluster, Worker } from 'node:cluster'
import process from 'node:process'
import { type Counters, type ErrorCode, GatewayError, isGatewayError } from '@gateway/contract'

const mark = 'gateway.counters'

type Method = Exclude<keyof Counters, 'flush' | 'snapshots'>

interface Call {
  id: number
  method: Method
  given: readonly unknown[]
}

type Answer = { id: number; value: unknown } | { id: number; fault: { code: ErrorCode; message: string } }

interface Message {
  mark: typeof mark
  calls?: readonly Call[]
  answers?: readonly Answer[]
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'mark' in message && message.mark === mark

/** Serves counters to all workers, including later ones, until it is closed. Call it in the primary. */
export function serveCounters(cluster: Cluster, counters: Counters): { close(): void } {
  const outboxes = new WeakMap<Worker, (answer: Answer) => void>()

  async function carryOut({ id, method, given }: Call): Promise<Answer> {
    try {
      const run = counters[method] as (...given: readonly unknown[]) => unknown
      return { id, value: await run(...given) }
    } catch (error) {
      const code = isGatewayError(error) ? error.code : 'internal_error'
      return { id, fault: { code, message: error instanceof Error ? error.message : String(error) } }
    }
  }

  function outboxOf(worker: Worker): (answer: Answer) => void {
    const known = outboxes.get(worker)
    if (known !== undefined) return known
    // An exiting worker may miss it.
    const made = inBatches<Answer>((answers) => {
      if (worker.isConnected())
        worker.process.send?.({ mark, answers }, undefined, undefined, () => undefined)
    })
    outboxes.set(worker, made)
    return made
  }

  function receive(worker: Worker, message: unknown): void {
    if (!isMessage(message)) return
    const put = outboxOf(worker)
    for (const call of message.calls ?? []) void carryOut(call).then(put)
  }

  cluster.on('message', receive)
  return { close: () => void cluster.off('message', receive) }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** The counters that the primary serves with {@link serveCounters}. Call it in a worker. */
export function createClusterCounters(): Counters {
  const waiting = new Map<number, Waiting>()
  let lastId = 0

  function settle(id: number): Waiting | undefined {
    const found = waiting.get(id)
    waiting.delete(id)
    return found
  }

  const put = inBatches<Call>((calls) => {
    const fail = (cause?: unknown) => {
      for (const { id } of calls) settle(id)?.reject(unavailable(cause))
    }
    if (!process.connected) return fail()
    process.send?.({ mark, calls }, undefined, undefined, (error) => {
      if (error !== null) fail(error)
    })
  })

  process.on('message', (message) => {
    if (!isMessage(message)) return
    for (const answer of message.answers ?? []) {
      const call = settle(answer.id)
      if ('fault' in answer) call?.reject(new GatewayError(answer.fault.code, answer.fault.message))
      else call?.resolve(answer.value)
    }
  })
  process.on('disconnect', () => {
    for (const id of [...waiting.keys()]) settle(id)?.reject(unavailable())
  })

  function ask<T>(method: Method, ...given: readonly unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve: (value) => resolve(value as T), reject })
      put({ id: lastId, method, given })
    })
  }

  return {
    reserve: (...given) => ask('reserve', ...given),
    settle: (...given) => ask('settle', ...given),
    read: (...given) => ask('read', ...given),
    reset: (...given) => ask('reset', ...given),
    seed: (...given) => ask('seed', ...given),
    list: (...given) => ask('list', ...given),
    listWindows: (...given) => ask('listWindows', ...given),
    seedWindows: (...given) => ask('seedWindows', ...given),
  }
}

/** Collects the items of one turn. */
function inBatches<Item>(send: (items: readonly Item[]) => void): (item: Item) => void {
  let items: Item[] = []
  return (item) => {
    if (items.push(item) > 1) return
    setImmediate(() => {
      const sent = items
      items = []
      send(sent)
    })
  }
}

function unavailable(cause?: unknown): GatewayError {
  return new GatewayError('dependency_unavailable', 'The primary process does not answer.', { cause })
}
