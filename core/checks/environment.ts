/** What the checks of an exchange run with, and where their errors, durations and late results go. */
import { isGatewayError } from '../contract/index.ts'
import type { Exchange } from '../exchange.ts'
import type { HookResult } from './hook.ts'
import type { CheckEnvironment } from './run-check.ts'

export function checkEnvironment(exchange: Exchange): CheckEnvironment {
  const { log, metrics } = exchange.runtime
  return {
    signal: exchange.signal,
    fetchJson: (request) => exchange.settings.outbound.fetchJson(request, exchange.signal),
    reportError(id, error) {
      metrics.checkErrors.inc({ check: id })
      const reason = isGatewayError(error) ? error.code : error instanceof Error ? error.name : 'error'
      log.warn({ trace_id: exchange.traceId, check: id, reason }, 'a check gave no verdict')
    },
    reportDuration(id, durationMs) {
      metrics.checkSeconds.observe({ check: id }, durationMs / 1000)
    },
  }
}

/** Async hooks are not in `hook_results`; they are in the log. */
export function logAsync(exchange: Exchange, running: Promise<HookResult>): void {
  const { log } = exchange.runtime
  running.then(
    (result) => log.info({ trace_id: exchange.traceId, hook: result }, 'async hook'),
    (error: unknown) => log.error({ trace_id: exchange.traceId, err: error }, 'async hook failed'),
  )
}
