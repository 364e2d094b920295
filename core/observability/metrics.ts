/** Prometheus metrics. Names and labels are bounded, whatever callers send. */

import type { AttemptReport, InFlight, InFlightKind, TokenReport } from '@gateway/flow'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import {
  type CounterDeclaration,
  counters,
  type HistogramDeclaration,
  histograms,
} from './metric-declarations.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** The text of the metrics, with its content type. */
export interface MetricsText {
  text: string
  contentType: string
}

/**
 * prom-client writes `Nan`, which the format does not allow, before the first measurement of the event loop delay.
 */
export async function metricsText(
  registry: Pick<Registry, 'metrics'> & { contentType: string },
): Promise<MetricsText> {
  const text = await registry.metrics()
  return { text: text.replace(/ Nan$/gm, ' NaN'), contentType: registry.contentType }
}

export interface MetricsSources {
  /** The number of circuit breakers by state; called when metrics are collected. */
  circuitStates(): Readonly<Record<string, number>>
  /** The number of requests in the queue. */
  waitingRequests(): number
  /** Whether limits are counted in this process alone, because their store is failing. */
  areLimitsUnshared(): boolean
}

/** The maximum number of stored credentials, and of models with a known price, that have separate series. */
const maxVirtualKeys = 200
const maxModels = 200

/**
 * Returns a function that passes the first distinct values unchanged, `other` for further ones, and `none` for null.
 */
function boundedLabel(most: number): (value: string | null) => string {
  const known = new Set<string>()
  return (value) => {
    if (value === null) return 'none'
    if (known.size < most) known.add(value)
    return known.has(value) ? value : 'other'
  }
}

let processRegistry: Registry | undefined

/**
 * The metrics of the process. They are observed once, however many gateways the process opens, because prom-client
 * never ends the observers, which would keep each closed gateway's registry in memory.
 */
function registerProcessMetrics(registry: Registry): void {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  for (const { name } of processRegistry.getMetricsAsArray()) {
    const metric = processRegistry.getSingleMetric(name)
    if (metric !== undefined) registry.registerMetric(metric)
  }
}

/** Creates metrics with a separate registry, which allows several gateways in one process. */
export function createMetrics(sources: MetricsSources) {
  const registry = new Registry()
  registerProcessMetrics(registry)
  const counter = <Label extends string>(declared: CounterDeclaration<Label>) =>
    createBatchedCounter(declared, registry)
  const histogram = <Label extends string>(declared: HistogramDeclaration<Label>) =>
    new Histogram({ ...declared, name: `gateway_${declared.name}`, registers: [registry] })
  const inFlight = createInFlight()
  const gauges = registerGauges(registry, sources, inFlight)
  return {
    registry,
    requests: counter(counters.requests),
    requestSeconds: histogram(histograms.requestSeconds),
    firstByteSeconds: histogram(histograms.firstByteSeconds),
    batchLines: counter(counters.batchLines),
    batches: gauges.batches,
    filesBytes: gauges.filesBytes,
    errors: counter(counters.errors),
    tokens: createTokenReports(counter(counters.tokens)),
    cost: counter(counters.cost),
    overheadSeconds: histogram(histograms.overheadSeconds),
    upstreamSeconds: histogram(histograms.upstreamSeconds),
    cache: counter(counters.cache),
    cacheErrors: counter(counters.cacheErrors),
    attempts: createAttemptReports(counter(counters.attempts)),
    retries: counter(counters.retries),
    hedges: counter(counters.hedges),
    queueWaitSeconds: histogram(histograms.queueWaitSeconds),
    shadows: counter(counters.shadows),
    checkSeconds: histogram(histograms.checkSeconds),
    checkErrors: counter(counters.checkErrors),
    droppedLogs: counter(counters.droppedLogs),
    limits: counter(counters.limits),
    denials: counter(counters.denials),
    inFlight,
    refusedConnections: counter(counters.refusedConnections),
    deliveries: counter(counters.deliveries),
    droppedTelemetry: counter(counters.droppedTelemetry),
    mail: counter(counters.mail),
    reloads: counter(counters.reloads),
  }
}

/** Counts reported tokens by provider and model. */
function createTokenReports(tokens: CounterOf<typeof counters.tokens>) {
  const modelLabel = boundedLabel(maxModels)
  return {
    record({ provider, model, prompt, completion }: TokenReport) {
      const name = model === null ? 'other' : modelLabel(model)
      tokens.inc({ provider, kind: 'prompt', model: name }, prompt)
      tokens.inc({ provider, kind: 'completion', model: name }, completion)
    },
  }
}

/** Counts attempts by provider, stored credential and outcome. */
function createAttemptReports(attempts: CounterOf<typeof counters.attempts>) {
  const virtualKeyLabel = boundedLabel(maxVirtualKeys)
  return {
    record({ provider, virtualKey, outcome }: AttemptReport) {
      attempts.inc({ provider, virtual_key: virtualKeyLabel(virtualKey), outcome })
    },
  }
}

/** Registers the gauges. Returns those that are set elsewhere; the others are read from `sources` on collection. */
function registerGauges(
  registry: Registry,
  { circuitStates, areLimitsUnshared, waitingRequests }: MetricsSources,
  inFlight: InFlight,
) {
  const registers = [registry]
  const readOnCollection = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `gateway_${name}`,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  readOnCollection('queue_waiting', 'Requests that wait for room at their providers.', waitingRequests)
  readOnCollection('requests_in_flight', 'Requests being answered.', () => inFlight.requests)
  readOnCollection(
    'limits_unshared',
    'Processes that count limits separately, because the shared counters are unavailable.',
    () => (areLimitsUnshared() ? 1 : 0),
  )
  new Gauge({
    name: 'gateway_circuits',
    help: 'Circuit breakers by state.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(circuitStates())) this.set({ state }, count)
    },
  })
  return {
    batches: new Gauge({
      name: 'gateway_batches',
      help: 'Batches that have not ended, by status.',
      labelNames: ['status'],
      registers,
    }),
    filesBytes: new Gauge({
      name: 'gateway_files_bytes',
      help: 'Bytes of the files stored by the gateway.',
      registers,
    }),
  }
}

/**
 * A counter that costs one map lookup per label for each request and allocates nothing. Counts are transferred to the
 * Prometheus counter on collection.
 */
interface BatchedCounter<Label extends string> {
  inc(labels: Readonly<Record<Label, string | number>>, value?: number): void
}

type CounterOf<Declared> = Declared extends CounterDeclaration<infer Label> ? BatchedCounter<Label> : never

/** Counts of all series with the same values of the first labels. With a value for each label, it is one series. */
interface Series {
  /** Counts since the last transfer. */
  count: number
  /** The next level, by the value of the next label. */
  below: Map<string | number, Series>
}

function createBatchedCounter<Label extends string>(
  { name, help, labelNames }: CounterDeclaration<Label>,
  registry: Registry,
): BatchedCounter<Label> {
  const all: Series = { count: 0, below: new Map() }

  function transfer(counter: Counter<Label>, series: Series, values: readonly (string | number)[]): void {
    if (values.length < labelNames.length) {
      for (const [value, below] of series.below) transfer(counter, below, [...values, value])
      return
    }
    const entries = labelNames.map((name, index) => [name, String(values[index])])
    counter.inc(Object.fromEntries(entries) as Record<Label, string>, series.count)
    series.count = 0
  }

  new Counter({
    name: `gateway_${name}`,
    help,
    labelNames,
    registers: [registry],
    collect() {
      transfer(this, all, [])
    },
  })

  function open(series: Series, value: string | number): Series {
    const made: Series = { count: 0, below: new Map() }
    series.below.set(value, made)
    return made
  }

  return {
    inc(labels, value = 1) {
      let series = all
      for (const name of labelNames) series = series.below.get(labels[name]) ?? open(series, labels[name])
      series.count += value
    },
  }
}

/** Counts with plain numbers, because every request increments it several times. */
function createInFlight(): InFlight {
  const counts: Record<InFlightKind, number> = { work: 0, request: 0, inference: 0 }
  return {
    get count() {
      return counts.work + counts.request
    },
    get requests() {
      return counts.request
    },
    get inference() {
      return counts.inference
    },
    begin(kind = 'work') {
      counts[kind] += 1
    },
    end(kind = 'work') {
      counts[kind] -= 1
    },
  }
}
