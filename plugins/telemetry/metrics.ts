/**
 * Metrics under the names of the semantic conventions, plus the gateway's own under `gateway.`. They count every
 * request, sampled or not. https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/
 */
import type { ObservedAttempt, ObservedRequest } from '@gateway/contract'
import { errorTypeOf, operationOf } from './attributes.ts'
import { type CounterSeries, createCounter, createHistogram, type HistogramSeries } from './instruments.ts'
import { exportMetrics, type MetricsOptions } from './metrics-export.ts'

/** The buckets that the conventions recommend, in seconds and in tokens. */
const clientBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power)
const serverBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const overheadBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
/** The most models with their own series: those with a known price, in order of first use. */
const maxModels = 200
/** The most combinations of labels whose series are cached. */
const maxCombinations = 1000

/** The series of requests with the same labels. */
interface RequestSeries {
  duration: HistogramSeries
  overhead: HistogramSeries
  /** Null if no provider was called. */
  cost: CounterSeries | null
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
  const requests = new Map<string, RequestSeries>()
  const attempts = new Map<string, AttemptSeries>()
  const models = new Set<string>()

  function modelOf(name: string, isListed: boolean): string {
    if (models.has(name)) return name
    if (!isListed || models.size >= maxModels) return 'other'
    models.add(name)
    return name
  }

  function requestSeries(request: ObservedRequest): RequestSeries {
    const { method, route, status, error, endpoint, provider } = request
    const key = `${method}\n${route}\n${status}\n${error}\n${endpoint}\n${provider}`
    return requests.get(key) ?? keep(requests, key, openRequestSeries(request))
  }

  const openRequestSeries = (request: ObservedRequest): RequestSeries => {
    const { method, route, status, error, endpoint, provider } = request
    return {
      duration: requestDuration.series({
        'http.request.method': method,
        'http.response.status_code': status,
        ...(route === null ? {} : { 'http.route': route }),
        ...(status >= 500 ? { 'error.type': error ?? String(status) } : {}),
      }),
      overhead: overhead.series({ 'gen_ai.operation.name': operationOf(endpoint ?? 'other') }),
      cost: provider === null ? null : cost.series({ 'gen_ai.provider.name': provider }),
    }
  }

  function attemptSeries(attempt: ObservedAttempt, model: string | null): AttemptSeries {
    const { endpoint, provider } = attempt
    const errorType = errorTypeOf(attempt)
    const key = `${endpoint}\n${provider}\n${model}\n${errorType}`
    return attempts.get(key) ?? keep(attempts, key, openAttemptSeries(attempt, model, errorType))
  }

  function openAttemptSeries(
    { endpoint, provider }: ObservedAttempt,
    model: string | null,
    errorType: string | null,
  ): AttemptSeries {
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
  }

  function recordAttempt(attempt: ObservedAttempt, isListed: boolean): void {
    const { requestModel, startedMs, endedMs, inputTokens, outputTokens } = attempt
    const model = requestModel === null ? null : modelOf(requestModel, isListed)
    const series = attemptSeries(attempt, model)
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

/** Caches the series of recurring labels, within a limit. */
function keep<Series>(known: Map<string, Series>, key: string, series: Series): Series {
  if (known.size >= maxCombinations) known.clear()
  known.set(key, series)
  return series
}
