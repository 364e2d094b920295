/** The counters and histograms of the gateway. `gateway_` precedes every name. */

export interface CounterDeclaration<Label extends string> {
  name: string
  help: string
  labelNames: readonly Label[]
}

export interface HistogramDeclaration<Label extends string> extends CounterDeclaration<Label> {
  /** Upper bounds in seconds. */
  buckets: number[]
}

const counter = <Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
): CounterDeclaration<Label> => ({ name, help, labelNames })

const histogram = <Label extends string>(
  name: string,
  help: string,
  { labelNames, buckets }: { labelNames: readonly Label[]; buckets: number[] },
): HistogramDeclaration<Label> => ({ name, help, labelNames, buckets })

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
const overheadBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
]
const checkBuckets = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

export const counters = {
  requests: counter('requests_total', 'Requests answered.', ['endpoint', 'provider', 'status']),
  errors: counter('errors_total', 'Errors raised by the gateway, by code.', ['code']),
  attempts: counter('attempts_total', 'Attempts at targets, by outcome.', [
    'provider',
    'virtual_key',
    'outcome',
  ]),
  retries: counter('retries_total', 'Upstream attempts after the first.', ['provider']),
  hedges: counter('hedges_total', 'Extra calls of hedging: won, lost, or not made for lack of budget.', [
    'outcome',
  ]),
  shadows: counter(
    'shadow_total',
    'Requests in the sample of a shadow: completed, failed, dropped under load, or not run for lack of budget.',
    ['outcome'],
  ),
  tokens: counter('tokens_total', 'Tokens that providers reported.', ['provider', 'kind', 'model']),
  cost: counter('cost_cents_total', 'Cost of requests in US cents, for known prices.', ['provider']),
  cache: counter('cache_total', 'Cache lookups, by status.', ['status']),
  cacheErrors: counter('cache_errors_total', 'Cache operations that failed and were skipped.', ['operation']),
  checkErrors: counter('check_errors_total', 'Checks that returned no verdict.', ['check']),
  denials: counter('guardrail_denials_total', 'Requests and answers that a guardrail denied.', ['phase']),
  limits: counter('limits_total', 'Limit events: requests refused, usage limits reached, failed counts.', [
    'kind',
    'event',
  ]),
  batchLines: counter('batch_lines_total', 'Lines of batches that have a result.', ['result']),
  droppedLogs: counter(
    'logs_dropped_total',
    'Log entries dropped because the store did not accept them in time.',
    [],
  ),
  droppedTelemetry: counter(
    'telemetry_dropped_total',
    'Spans and metric exports that no collector accepted.',
    [],
  ),
  refusedConnections: counter(
    'connections_refused_total',
    'Connections closed at once, because their address had too many.',
    [],
  ),
  deliveries: counter('webhook_deliveries_total', 'Attempts to deliver events to webhooks, by outcome.', [
    'outcome',
  ]),
  mail: counter('mail_total', 'Attempts to send mail, by outcome.', ['outcome']),
  reloads: counter('config_reloads_total', 'Reloads of the config file, by outcome.', ['outcome']),
}

export const histograms = {
  requestSeconds: histogram('request_duration_seconds', 'Time from arrival to the last byte of the answer.', {
    labelNames: ['endpoint'],
    buckets: latencyBuckets,
  }),
  firstByteSeconds: histogram(
    'first_byte_seconds',
    'Time from arrival to the first byte of a streamed answer.',
    { labelNames: ['endpoint'], buckets: latencyBuckets },
  ),
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
  queueWaitSeconds: histogram(
    'queue_wait_seconds',
    'Time that requests waited for room at their providers, by outcome.',
    { labelNames: ['outcome'], buckets: latencyBuckets },
  ),
  checkSeconds: histogram('check_duration_seconds', 'Run time of guardrail checks.', {
    labelNames: ['check'],
    buckets: checkBuckets,
  }),
}
