/** Prometheus metrics. Names and labels are bounded, whatever callers send. */

import type { AttemptReport, InFlight, TokenReport } from '@gateway/flow'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

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

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
const overheadBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
]
const checkBuckets = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

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
export function createMetrics({ circuitStates, areLimitsUnshared, waitingRequests }: MetricsSources) {
  const registry = new Registry()
  const registers = [registry]
  registerProcessMetrics(registry)
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    createBatchedCounter({ name: `gateway_${name}`, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { labelNames: readonly Label[]; buckets: number[] },
  ) => new Histogram({ name: `gateway_${name}`, help, labelNames, buckets, registers })
  const attempts = counter('attempts_total', 'Attempts at targets, by outcome.', [
    'provider',
    'virtual_key',
    'outcome',
  ])
  const tokens = counter('tokens_total', 'Tokens that providers reported.', ['provider', 'kind', 'model'])
  const batches = new Gauge({
    name: 'gateway_batches',
    help: 'Batches that have not ended, by status.',
    labelNames: ['status'],
    registers,
  })
  const filesBytes = new Gauge({
    name: 'gateway_files_bytes',
    help: 'Bytes of the files stored by the gateway.',
    registers,
  })
  new Gauge({
    name: 'gateway_queue_waiting',
    help: 'Requests that wait for room at their providers.',
    registers,
    collect() {
      this.set(waitingRequests())
    },
  })
  const virtualKeyLabel = boundedLabel(maxVirtualKeys)
  const modelLabel = boundedLabel(maxModels)
  const inFlight = createInFlight()
  new Gauge({
    name: 'gateway_requests_in_flight',
    help: 'Requests being answered.',
    registers,
    collect() {
      this.set(inFlight.requests)
    },
  })
  new Gauge({
    name: 'gateway_limits_unshared',
    help: 'Processes that count limits separately, because the shared counters are unavailable.',
    registers,
    collect() {
      this.set(areLimitsUnshared() ? 1 : 0)
    },
  })
  return {
    registry,
    requests: counter('requests_total', 'Requests answered.', ['endpoint', 'provider', 'status']),
    requestSeconds: histogram(
      'request_duration_seconds',
      'Time from arrival to the last byte of the answer.',
      { labelNames: ['endpoint'], buckets: latencyBuckets },
    ),
    firstByteSeconds: histogram(
      'first_byte_seconds',
      'Time from arrival to the first byte of a streamed answer.',
      { labelNames: ['endpoint'], buckets: latencyBuckets },
    ),
    batchLines: counter('batch_lines_total', 'Lines of batches that have a result.', ['result']),
    batches,
    filesBytes,
    errors: counter('errors_total', 'Errors raised by the gateway, by code.', ['code']),
    tokens: {
      record({ provider, model, prompt, completion }: TokenReport) {
        const name = model === null ? 'other' : modelLabel(model)
        tokens.inc({ provider, kind: 'prompt', model: name }, prompt)
        tokens.inc({ provider, kind: 'completion', model: name }, completion)
      },
    },
    cost: counter('cost_cents_total', 'Cost of requests in US cents, for known prices.', ['provider']),
    overheadSeconds: histogram(
      'overhead_seconds',
      'Latency of the gateway itself, for requests that called a provider.',
      { labelNames: [], buckets: overheadBuckets },
    ),
    upstreamSeconds: histogram(
      'upstream_seconds',
      'Time spent waiting for providers per request, for streams to the last byte.',
      { labelNames: ['provider'], buckets: latencyBuckets },
    ),
    cache: counter('cache_total', 'Cache lookups, by status.', ['status']),
    cacheErrors: counter('cache_errors_total', 'Cache operations that failed and were skipped.', [
      'operation',
    ]),
    attempts: {
      record({ provider, virtualKey, outcome }: AttemptReport) {
        attempts.inc({ provider, virtual_key: virtualKeyLabel(virtualKey), outcome })
      },
    },
    retries: counter('retries_total', 'Upstream attempts after the first.', ['provider']),
    hedges: counter('hedges_total', 'Extra calls of hedging: won, lost, or not made for lack of budget.', [
      'outcome',
    ]),
    queueWaitSeconds: histogram(
      'queue_wait_seconds',
      'Time that requests waited for room at their providers, by outcome.',
      { labelNames: ['outcome'], buckets: latencyBuckets },
    ),
    shadows: counter(
      'shadow_total',
      'Requests in the sample of a shadow: completed, failed, dropped under load, or not run for lack of budget.',
      ['outcome'],
    ),
    checkSeconds: histogram('check_duration_seconds', 'Run time of guardrail checks.', {
      labelNames: ['check'],
      buckets: checkBuckets,
    }),
    checkErrors: counter('check_errors_total', 'Checks that returned no verdict.', ['check']),
    droppedLogs: counter(
      'logs_dropped_total',
      'Log entries dropped because the store did not accept them in time.',
      [],
    ),
    limits: counter('limits_total', 'Limit events: requests refused, usage limits reached, failed counts.', [
      'kind',
      'event',
    ]),
    denials: counter('guardrail_denials_total', 'Requests and answers that a guardrail denied.', ['phase']),
    inFlight,
    circuits: new Gauge({
      name: 'gateway_circuits',
      help: 'Circuit breakers by state.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, count] of Object.entries(circuitStates())) this.set({ state }, count)
      },
    }),
    refusedConnections: counter(
      'connections_refused_total',
      'Connections closed at once, because their address had too many.',
      [],
    ),
    deliveries: counter('webhook_deliveries_total', 'Attempts to deliver events to webhooks, by outcome.', [
      'outcome',
    ]),
    droppedTelemetry: counter(
      'telemetry_dropped_total',
      'Spans and metric exports that no collector accepted.',
      [],
    ),
    mail: counter('mail_total', 'Attempts to send mail, by outcome.', ['outcome']),
    reloads: counter('config_reloads_total', 'Reloads of the config file, by outcome.', ['outcome']),
  }
}

/**
 * A counter that costs one map lookup per label for each request and allocates nothing. Counts are transferred to the
 * Prometheus counter on collection.
 */
interface BatchedCounter<Label extends string> {
  inc(labels: Readonly<Record<Label, string | number>>, value?: number): void
}

interface BatchedCounterOptions<Label extends string> {
  name: string
  help: string
  labelNames: readonly Label[]
  registers: Registry[]
}

/** Counts of all series with the same values of the first labels. With a value for each label, it is one series. */
interface Series {
  /** Counts since the last transfer. */
  count: number
  /** The next level, by the value of the next label. */
  below: Map<string | number, Series>
}

function createBatchedCounter<Label extends string>(
  options: BatchedCounterOptions<Label>,
): BatchedCounter<Label> {
  const all: Series = { count: 0, below: new Map() }
  const { labelNames } = options

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
    ...options,
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

const work = ['count'] as const
const request = ['count', 'requests'] as const
const inference = ['inference'] as const

/** Counts with plain numbers, because every request increments it several times. */
function createInFlight(): InFlight {
  const counts = { count: 0, requests: 0, inference: 0 }
  const begin = (names: readonly (keyof typeof counts)[]) => {
    let isRunning = true
    for (const name of names) counts[name] += 1
    return () => {
      if (!isRunning) return
      isRunning = false
      for (const name of names) counts[name] -= 1
    }
  }
  return {
    get count() {
      return counts.count
    },
    get requests() {
      return counts.requests
    },
    get inference() {
      return counts.inference
    },
    begin: () => begin(work),
    beginRequest: () => begin(request),
    beginInference: () => begin(inference),
  }
}
