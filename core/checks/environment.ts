/** What the checks of an exchange run with, and where their errors, durations and late results go. */
import { isGatewayError, type Phase } from '../contract/index.ts'
import { describeFault } from '../describe-fault.ts'
import { type Exchange, required } from '../exchange.ts'
import { gatewayKeyOf } from '../stages/auth.ts'
import { checkBody } from '../stages/parse.ts'
import { resolves } from '../upstream/resolves.ts'
import { askModel } from './ask-model.ts'
import { throughCircuit } from './circuit.ts'
import type { HookResult } from './hook.ts'
import type { CheckEnvironment } from './run-check.ts'

export function checkEnvironment(exchange: Exchange, signal?: AbortSignal): CheckEnvironment {
  const { log, metrics } = exchange.runtime
  return {
    // Made when a check asks for it, which those that answer at once do not.
    get signal() {
      return signal ?? exchange.signal
    },
    fetchJson: (request, limit) =>
      throughCircuit(exchange, request.url, limit, () =>
        exchange.settings.outbound.fetchJson(request, limit),
      ),
    fetch(request, limit) {
      const call = () => exchange.settings.outbound.fetch(request, limit)
      return request.isForeign === true ? call() : throughCircuit(exchange, request.url, limit, call)
    },
    resolves: (hostname) => resolves(exchange.settings.guard, hostname),
    readHeader: (name) => readHeader(exchange, name),
    chatComplete: (provider, body, limit) => askModel(exchange, provider, body, limit),
    sharedOf(plugin) {
      const shared = exchange.checkState.get(plugin) ?? new Map<string, unknown>()
      exchange.checkState.set(plugin, shared)
      return shared
    },
    checkRequest: (body) => checkBody(required(exchange.endpoint, 'endpoint'), body, 0),
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

/** What a check may have of the inbound headers: never the gateway's own, a cookie, or what holds the gateway key. */
function readHeader(exchange: Exchange, name: string): string | null {
  const { settings, transport } = exchange
  if (name === 'cookie' || settings.headerPrefixes.some((prefix) => name.startsWith(prefix))) return null
  const value = Object.hasOwn(transport.headers, name) ? transport.headers[name] : undefined
  const key = gatewayKeyOf(exchange)
  return typeof value !== 'string' || (key !== null && value.includes(key)) ? null : value
}

/**
 * Async hooks run when the answer is over, and also when its caller left; they are not in `hook_results` but in the
 * log. A gateway that stops waits for them.
 */
export function runLater(
  exchange: Exchange,
  phase: Phase,
  run: (environment: CheckEnvironment) => Promise<HookResult>,
): void {
  const { runtime, traceId } = exchange
  exchange.afterwards.add(async () => {
    runtime.inFlight += 1
    try {
      const result = await run(checkEnvironment(exchange, new AbortController().signal))
      runtime.log.info({ trace_id: traceId, hook: result }, 'async hook')
      return { phase, result }
    } catch (error) {
      runtime.log.error({ trace_id: traceId, err: describeFault(exchange, error) }, 'async hook failed')
      return null
    } finally {
      runtime.inFlight -= 1
    }
  })
}
