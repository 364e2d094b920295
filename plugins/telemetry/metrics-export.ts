/** Exports metrics to the collector: the SDK's reader collects them at intervals and passes them to its exporter. */
import type { HrTime } from '@opentelemetry/api'
import { ExportResultCode, millisToHrTime } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  InstrumentType,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import type { Instrument } from './instruments.ts'

const longestTimeoutMs = 10_000
const closingMs = 3000

export interface MetricsOptions {
  url: string
  headers: Readonly<Record<string, string>>
  resource: Readonly<Record<string, string>>
  intervalMs: number
  /** Records the requests that are still to be recorded; called before metrics are collected. */
  catchUp(): void
  failed(reason: string): void
}

export function exportMetrics(
  instruments: readonly Instrument<unknown>[],
  { url, headers, resource: attributes, intervalMs, catchUp, failed }: MetricsOptions,
) {
  const timeoutMillis = Math.min(longestTimeoutMs, intervalMs)
  const exporter = new OTLPMetricExporter({ url, headers: { ...headers }, timeoutMillis })
  const reader = new PeriodicExportingMetricReader({
    exporter: watched(exporter, failed),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: timeoutMillis,
  })
  const resource = resourceFromAttributes({ ...attributes })
  // The same for histograms and counters.
  const temporality = exporter.selectAggregationTemporality(InstrumentType.HISTOGRAM)
  let startTime: HrTime = millisToHrTime(Date.now())
  reader.setMetricProducer({
    async collect() {
      catchUp()
      const endTime = millisToHrTime(Date.now())
      const metrics = instruments
        .map((instrument) => instrument.collect({ temporality, startTime, endTime }))
        .filter(({ dataPoints }) => dataPoints.length > 0)
      if (temporality === AggregationTemporality.DELTA) startTime = endTime
      const scopeMetrics = metrics.length === 0 ? [] : [{ scope: { name: 'gateway' }, metrics }]
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] }
    },
  })
  return {
    /** Exports a last time. */
    async close(): Promise<void> {
      try {
        await reader.shutdown({ timeoutMillis: closingMs })
      } catch (error) {
        failed(error instanceof Error ? error.message : 'the export failed')
      }
    },
  }
}

/** Reports failed exports, which the reader does not. */
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
