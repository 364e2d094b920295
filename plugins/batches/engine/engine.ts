/**
 * What all long work of one gateway shares, whichever package runs it: the limit of concurrent requests, backoff, and
 * the delivery of committed records.
 */
import type { ServiceContext } from '@gateway/contract'
import { type BackOff, createBackOff } from './back-off.ts'
import { countInference } from './count-inference.ts'
import { createHandOver, type HandOver } from './hand-over.ts'
import { createSlots, type Slots } from './slots.ts'

export interface Engine {
  /** Runs requests that do not count as those of clients. */
  context: ServiceContext
  backOff: BackOff
  slots: Slots
  handOver: HandOver
}

/** By the documents of a gateway, because a process may have several gateways. */
const engines = new WeakMap<object, Engine>()

export function engineOf(given: ServiceContext): Engine {
  const known = engines.get(given.ports.documents)
  if (known !== undefined) return known
  const { context, running } = countInference(given)
  const engine: Engine = {
    context,
    backOff: createBackOff(),
    slots: createSlots(
      () => context.batches().totalConcurrency,
      () => context.metrics.inferenceInFlight() > running(),
    ),
    handOver: createHandOver(context),
  }
  engines.set(given.ports.documents, engine)
  return engine
}
