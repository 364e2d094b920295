/**
 * Metrics under the names of the semantic conventions, and the gateway's own under `gateway.`. They count every request,
 * sampled or not. https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/
 */
import type { ObservedAttempt, ObservedRequest } from '@gateway/contract'
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import type { Resource } from '@opentelemetry/resources'
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import { errorTypeOf, operationOf } from './attributes.ts'

const longestTimeoutMs = 10_000
const closingMs = 3000
/** As the conventions advise; seconds, and tokens. */
const clientBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power)
const serverBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const overheadBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
/** Models that have series of their own: those with a known price, in the order in which they come. */
const maxModels = 200

export interface MetricsOptions {
  url: string
  headers: Readonly<Record<string, string>>
  resource: Resource
  intervalMs: number
  failed(reason: string): void
}

export function createMetrics({ url, headers, resource, intervalMs, failed }: MetricsOptions) {
  const timeoutMillis = Math.min(longestTimeoutMs, intervalMs)
  const exporter = new OTLPMetricExporter({ url, headers: { ...headers }, timeoutMillis })
  const reader = new PeriodicExportingMetricReader({
    exporter: watched(exporter, failed),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: timeoutMillis,
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  const meter = provider.getMeter('gateway')
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } })
  const operationDuration = histogram(
    'gen_ai.client.operation.duration',
    's',
    'Time of a call of a provider, of a stream to its last byte.',
    clientBuckets,
  )
  const tokenUsage = histogram(
    'gen_ai.client.token.usage',
    '{token}',
    'Tokens of a call, as its provider reported them.',
    tokenBuckets,
  )
  const requestDuration = histogram(
    'http.server.request.duration',
    's',
    'Time of a request from its arrival to the last byte of its answer.',
    serverBuckets,
  )
  const overhead = histogram(
    'gateway.overhead.duration',
    's',
    'Time that the gateway itself took for a request, without its providers.',
    overheadBuckets,
  )
  const cost = meter.createCounter('gateway.cost', {
    unit: '{cent}',
    description: 'US cents that requests cost, as far as prices are known.',
  })
  const models = new Set<string>()

  function modelOf(name: string, isListed: boolean): string {
    if (models.has(name)) return name
    if (!isListed || models.size >= maxModels) return 'other'
    models.add(name)
    return name
  }

  function recordAttempt(attempt: ObservedAttempt, isListed: boolean): void {
    const { requestModel, inputTokens, outputTokens } = attempt
    const errorType = errorTypeOf(attempt)
    const attributes = {
      'gen_ai.operation.name': operationOf(attempt.endpoint),
      'gen_ai.provider.name': attempt.provider,
      ...(requestModel === null ? {} : { 'gen_ai.request.model': modelOf(requestModel, isListed) }),
    }
    const seconds = (attempt.endedMs - attempt.startedMs) / 1000
    operationDuration.record(
      seconds,
      errorType === null ? attributes : { ...attributes, 'error.type': errorType },
    )
    if (inputTokens !== null) tokenUsage.record(inputTokens, { ...attributes, 'gen_ai.token.type': 'input' })
    if (outputTokens !== null)
      tokenUsage.record(outputTokens, { ...attributes, 'gen_ai.token.type': 'output' })
  }

  return {
    record(request: ObservedRequest): void {
      const { route, status, costCents, overheadMs, endpoint } = request
      requestDuration.record(request.durationMs / 1000, {
        'http.request.method': request.method,
        'http.response.status_code': status,
        ...(route === null ? {} : { 'http.route': route }),
        ...(status >= 500 ? { 'error.type': request.error ?? String(status) } : {}),
      })
      for (const attempt of request.attempts) recordAttempt(attempt, costCents !== null)
      if (overheadMs !== null)
        overhead.record(overheadMs / 1000, { 'gen_ai.operation.name': operationOf(endpoint ?? 'other') })
      if (costCents !== null && request.provider !== null)
        cost.add(costCents, { 'gen_ai.provider.name': request.provider })
    },
    /** Exports for the last time. */
    async close(): Promise<void> {
      try {
        await provider.shutdown({ timeoutMillis: closingMs })
      } catch (error) {
        failed(error instanceof Error ? error.message : 'the export failed')
      }
    },
  }
}

/** Tells of exports that failed, which the reader keeps to itself. */
function watched(exporter: OTLPMetricExporter, failed: (reason: string) => void): PushMetricExporter {
  return {
    export(metrics, done) {
      exporter.export(metrics, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) failed(result.error?.message ?? 'the export failed')
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
    selectAggregationTemporality: (type) => exporter.selectAggregationTemporality(type),
    selectAggregation: (type) => exporter.selectAggregation(type),
  }
}
