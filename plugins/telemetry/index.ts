/**
 * OpenTelemetry: a trace of each request and metrics of all requests, over OTLP/HTTP. Without a collector in the config
 * file or the environment, none of this code is loaded.
 */
import { defineService, type ServiceContext } from '@gateway/contract'
import type { Exporting } from './export.ts'

async function open(context: ServiceContext<'log' | 'metrics' | 'telemetry'>): Promise<Exporting | null> {
  const settings = context.telemetry()
  if (settings === null) return null
  const { startExport } = await import('./export.ts')
  return startExport(settings, context)
}

export default defineService({
  name: 'telemetry',
  title: 'OpenTelemetry',
  needs: ['log', 'metrics', 'telemetry'],
  async open(context) {
    let running = await open(context)
    let known = JSON.stringify(context.telemetry())
    return {
      routes: [],
      observer: () => running?.observer ?? null,
      async configRead(isApplied) {
        const next = JSON.stringify(context.telemetry())
        if (!isApplied || next === known) return
        known = next
        const former = running
        running = await open(context)
        // Queued telemetry is exported after the reload.
        former?.close().catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : 'error'
          context.log.warn({ reason }, 'failed to shut down telemetry')
        })
      },
      close: async () => running?.close(),
    }
  },
})
