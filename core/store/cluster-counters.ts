/**
 * Counters of `--workers N` over an embedded store: the primary counts in memory for all workers, like a single
 * process, and workers send it process messages. Calls made in one turn of the event loop share a message, and so do
 * their answers. Reservations of a worker are released when it exits, just as those of a single process end with it.
 * Errors: those of the counters; `dependency_unavailable` when the primary is gone.
 */
import type { Cluster, Worker } from 'node:cluster'
import process from 'node:process'
import {
  type Counters,
  type ErrorCode,
  GatewayError,
  isGatewayError,
  type Reservation,
  type ReservationResult,
} from '@gateway/contract'

const mark = 'gateway.counters'

type Method = Exclude<keyof Counters, 'flush' | 'snapshots'>

interface Call {
  id: number
  method: Method
  given: readonly unknown[]
}

type Answer = { id: number; value: unknown } | { id: number; fault: Fault }

interface Fault {
  code: ErrorCode
  message: string
  storeFault: string | null
}

interface Message {
  mark: typeof mark
  calls?: readonly Call[]
  answers?: readonly Answer[]
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'mark' in message && message.mark === mark

/**
 * Serves counters to all workers, including later ones, until it is closed. Call it in the primary.
 * @param report receives the error when the reservations of a worker that has ended cannot be released
 */
export function serveCounters(
  cluster: Cluster,
  counters: Counters,
  report: (error: unknown) => void,
): { close(): void } {
  const outboxes = new WeakMap<Worker, (answer: Answer) => void>()
  /** The attempts whose holds the worker has not settled. */
  const open = new Map<Worker, Set<string>>()

  async function carryOut(worker: Worker, { id, method, given }: Call): Promise<Answer> {
    try {
      const run = counters[method] as (...given: readonly unknown[]) => unknown
      const value = await run(...given)
      if (method === 'settle') open.get(worker)?.delete(String(given[0]))
      if (method === 'reserve') {
        const [attempt, reservations] = given as Parameters<Counters['reserve']>
        const isHeld = (value as ReservationResult).isAdmitted && reservations.some(isHold)
        if (isHeld) noteOpen(worker, attempt)
      }
      return { id, value }
    } catch (error) {
      return { id, fault: toFault(error) }
    }
  }

  function noteOpen(worker: Worker, attempt: string): void {
    const known = open.get(worker)
    if (known === undefined) open.set(worker, new Set([attempt]))
    else known.add(attempt)
    // The worker may have exited while its counters were read from the store.
    if (!worker.isConnected()) release(worker)
  }

  function release(worker: Worker): void {
    for (const attempt of open.get(worker) ?? []) {
      // Holds that cannot be released end with their lease.
      Promise.resolve()
        .then(() => counters.settle(attempt, [], Date.now()))
        .catch(report)
    }
    open.delete(worker)
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
    for (const call of message.calls ?? []) void carryOut(worker, call).then(put)
  }

  cluster.on('message', receive)
  cluster.on('disconnect', release)
  return {
    close() {
      cluster.off('message', receive)
      cluster.off('disconnect', release)
    },
  }
}

const isHold = ({ takes }: Reservation) => takes === 'hold'

function toFault(error: unknown): Fault {
  if (isGatewayError(error)) return { code: error.code, message: error.message, storeFault: error.storeFault }
  return {
    code: 'internal_error',
    message: error instanceof Error ? error.message : String(error),
    storeFault: null,
  }
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
      if ('fault' in answer) call?.reject(toError(answer.fault))
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

const toError = ({ code, message, storeFault }: Fault) => new GatewayError(code, message, { storeFault })

/** Collects the items of one turn of the event loop. */
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
