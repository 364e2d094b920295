/**
 * Metrics under the names of the semantic conventions, plus the gateway's own under `gateway.`. They count every
 * request, sampled or not. https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/
 */
import type { ObservedAttempt, ObservedRequest } from '@gateway/contract'
import { errorTypeOf, operationOf } from './attributes.ts'
import { cacheByValues } from './cache-by-values.ts'
import { type CounterSeries, createCounter, createHistogram, type HistogramSeries } from './instruments.ts'
import { exportMetrics, type MetricsOptions } from './metrics-export.ts'

/** The buckets that the conventions recommend, in seconds and in tokens. */
const clientBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power)
const serverBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const overheadBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
/** The most models with their own series: those with a known price, in order of first use. */
const maxModels = 200

/** The series of requests with the same labels. */
interface RequestSeries {
  duration: HistogramSeries
  overhead: HistogramSeries
  /** Null if no provider was called. */
  cost: CounterSeries | null
}

type AttemptLabels = Readonly<Pick<ObservedAttempt, 'endpoint' | 'provider'>> & {
  readonly model: string | null
  readonly errorType: string | null
}

/** The series of attempts with the same labels. */
interface AttemptSeries {
  duration: HistogramSeries
  inputTokens: HistogramSeries
  outputTokens: HistogramSeries
}

export function createMetrics(options: MetricsOptions) {
  const operationDuration = createHistogram(
    {
      name: 'gen_ai.client.operation.duration',
      unit: 's',
      description: 'Time of a call of a provider; for a stream, until its last byte.',
    },
    clientBuckets,
  )
  const tokenUsage = createHistogram(
    {
      name: 'gen_ai.client.token.usage',
      unit: '{token}',
      description: 'Tokens of a call, as its provider reported them.',
    },
    tokenBuckets,
  )
  const requestDuration = createHistogram(
    {
      name: 'http.server.request.duration',
      unit: 's',
      description: 'Time of a request from its arrival to the last byte of its answer.',
    },
    serverBuckets,
  )
  const overhead = createHistogram(
    {
      name: 'gateway.overhead.duration',
      unit: 's',
      description: 'Time that the gateway itself took for a request, without its providers.',
    },
    overheadBuckets,
  )
  const cost = createCounter({
    name: 'gateway.cost',
    unit: '{cent}',
    description: 'Cost of requests in US cents, for known prices.',
  })
  const models = new Set<string>()

  function modelOf(name: string, isListed: boolean): string {
    if (models.has(name)) return name
    if (!isListed || models.size >= maxModels) return 'other'
    models.add(name)
    return name
  }

  const requestSeries = cacheByValues(
    ({ method, route, status, error, endpoint, provider }: ObservedRequest) => ({
      method,
      route,
      status,
      error,
      endpoint,
      provider,
    }),
    ({ method, route, status, error, endpoint, provider }): RequestSeries => ({
      duration: requestDuration.series({
        'http.request.method': method,
        'http.response.status_code': status,
        ...(route === null ? {} : { 'http.route': route }),
        ...(status >= 500 ? { 'error.type': error ?? String(status) } : {}),
      }),
      overhead: overhead.series({ 'gen_ai.operation.name': operationOf(endpoint ?? 'other') }),
      cost: provider === null ? null : cost.series({ 'gen_ai.provider.name': provider }),
    }),
  )

  const attemptSeries = cacheByValues(
    (labels: AttemptLabels) => labels,
    ({ endpoint, provider, model, errorType }): AttemptSeries => {
      const attributes = {
        'gen_ai.operation.name': operationOf(endpoint),
        'gen_ai.provider.name': provider,
        ...(model === null ? {} : { 'gen_ai.request.model': model }),
      }
      return {
        duration: operationDuration.series(
          errorType === null ? attributes : { ...attributes, 'error.type': errorType },
        ),
        inputTokens: tokenUsage.series({ ...attributes, 'gen_ai.token.type': 'input' }),
        outputTokens: tokenUsage.series({ ...attributes, 'gen_ai.token.type': 'output' }),
      }
    },
  )

  function recordAttempt(attempt: ObservedAttempt, isListed: boolean): void {
    const { endpoint, provider, requestModel, startedMs, endedMs, inputTokens, outputTokens } = attempt
    const model = requestModel === null ? null : modelOf(requestModel, isListed)
    const series = attemptSeries({ endpoint, provider, model, errorType: errorTypeOf(attempt) })
    series.duration.record((endedMs - startedMs) / 1000)
    if (inputTokens !== null) series.inputTokens.record(inputTokens)
    if (outputTokens !== null) series.outputTokens.record(outputTokens)
  }

  const exporting = exportMetrics([operationDuration, tokenUsage, requestDuration, overhead, cost], options)
  return {
    record(request: ObservedRequest): void {
      const { durationMs, overheadMs, costCents } = request
      const series = requestSeries(request)
      series.duration.record(durationMs / 1000)
      if (overheadMs !== null) series.overhead.record(overheadMs / 1000)
      if (costCents !== null) series.cost?.add(costCents)
      for (const attempt of request.attempts) recordAttempt(attempt, costCents !== null)
    },
    close: exporting.close,
  }
}
