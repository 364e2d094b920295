/**
 * Shared by all long-running work of one gateway, in all packages: the limit of concurrent requests, backoff, and the
 * delivery of committed records.
 */
import type { Capability, ServiceContext } from '@gateway/contract'
import { type BackOff, createBackOff } from './back-off.ts'
import { createInferenceCount, type InferenceCount } from './count-inference.ts'
import { createHandOver, type HandOver } from './hand-over.ts'
import { createSlots, type Slots } from './slots.ts'

/** The capabilities that the engine uses: a package whose work it runs declares them. */
export const workNeeds = [
  'batches',
  'beginWork',
  'counters',
  'documents',
  'log',
  'logEntries',
  'metrics',
  'now',
  'runInference',
  'stopping',
  'work',
] as const satisfies readonly Capability[]

/** The context of long work. `Need`: the capabilities that the package uses in addition. */
export type WorkContext<Need extends Capability = never> = ServiceContext<(typeof workNeeds)[number] | Need>

export interface Engine<Need extends Capability = never> extends SharedWork {
  /** The package's own context. It runs requests that do not count as those of clients. */
  context: WorkContext<Need>
}

interface SharedWork {
  backOff: BackOff
  slots: Slots
  handOver: HandOver
}

/** Engines by the documents of a gateway, because a process may have several gateways. */
const shared = new WeakMap<object, SharedWork & { count: InferenceCount }>()

export function engineOf<Need extends Capability>(given: WorkContext<Need>): Engine<Need> {
  const { count, ...work } = sharedBy(given)
  return { context: { ...given, runInference: count.around(given.runInference) }, ...work }
}

function sharedBy(context: WorkContext): SharedWork & { count: InferenceCount } {
  const known = shared.get(context.documents)
  if (known !== undefined) return known
  const count = createInferenceCount()
  const made = {
    count,
    backOff: createBackOff(),
    slots: createSlots(
      () => context.batches().totalConcurrency,
      () => context.metrics.inferenceInFlight() > count.running,
    ),
    handOver: createHandOver(context),
  }
  shared.set(context.documents, made)
  return made
}
