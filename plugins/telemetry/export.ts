/** Exports over OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp/ */
import { randomUUID } from 'node:crypto'
import type { ObservedRequest, RequestObserver, ServiceContext, TelemetrySettings } from '@gateway/contract'
import { createMetrics } from './metrics.ts'
import { isSampled } from './sampling.ts'
import { createSpanQueue } from './span-queue.ts'

export interface Exporting {
  observer: RequestObserver
  /** Exports what is queued, for a few seconds at most. */
  close(): Promise<void>
}

/** Requests are recorded in groups of this size: repeated runs of the same code are faster, and no answer waits for them. */
const maxWaiting = 64

export function startExport(
  settings: TelemetrySettings,
  context: ServiceContext<'log' | 'metrics'>,
): Exporting {
  const resource = { 'service.instance.id': randomUUID(), ...settings.resource }
  const drop = (signal: 'traces' | 'metrics') => (count: number, reason: string) => {
    context.metrics.telemetryDropped(count)
    context.log.warn({ signal, count, reason }, 'telemetry dropped: the collector did not accept it')
  }
  const { tracesUrl, metricsUrl, headers } = settings
  let waiting: ObservedRequest[] = []

  function catchUp(): void {
    const ended = waiting
    waiting = []
    for (const request of ended) {
      metrics?.record(request)
      if (request.trace?.isSampled === true) spans?.add(request)
    }
  }

  const spans =
    tracesUrl === null
      ? null
      : createSpanQueue({
          url: tracesUrl,
          headers,
          resource,
          intervalMs: settings.tracesIntervalMs,
          catchUp,
          dropped: drop('traces'),
        })
  const metrics =
    metricsUrl === null
      ? null
      : createMetrics({
          url: metricsUrl,
          headers,
          resource,
          intervalMs: settings.metricsIntervalMs,
          catchUp,
          failed: (reason) => drop('metrics')(1, reason),
        })
  return {
    observer: {
      traces: spans !== null,
      capturesContent: settings.capturesContent,
      isSampled: (traceId, parent) => isSampled(traceId, parent, settings.sampleRatio),
      ended(request) {
        if (waiting.push(request) >= maxWaiting) catchUp()
      },
    },
    async close() {
      catchUp()
      await Promise.all([spans?.close(), metrics?.close()])
    },
  }
}
