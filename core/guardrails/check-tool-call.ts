/**
 * Runs the mandatory guardrails of a tool call on its arguments and on its result. Changes by mutators apply; a denial
 * stops the call.
 */

import { joinMandatory } from '@gateway/config'
import type { CheckedBody, JsonObject, ToolCall } from '@gateway/contract'
import type { Admitted, CheckPorts, Ports } from '@gateway/flow'
import { toolCallEndpoints } from '../endpoints/index.ts'
import { noteDenial } from '../observability/index.ts'
import { denialMessage } from './denial-message.ts'
import { guestEnvironment, runGuestLater } from './environment.ts'
import { createCheckInput } from './input.ts'
import { render, runHooks } from './run-hooks.ts'

interface CheckToolCallOptions {
  call: ToolCall
  result: JsonObject | null
}

/** @param result null to check the arguments, which are the body */
export async function checkToolCall(
  ports: CheckPorts & Ports<'services'>,
  exchange: Admitted,
  { call: { endpoint: id, server, tool, arguments: given }, result }: CheckToolCallOptions,
): Promise<CheckedBody> {
  const { workspace } = exchange
  const phase = result === null ? 'before' : 'after'
  const { keyDefaults, workspaceDefaults } = workspace.defaultsOf(exchange.caller)
  const sets = [workspace.mandatory, workspaceDefaults.mandatory, keyDefaults.mandatory]
  const hooks = joinMandatory(...sets)[phase]
  const request = { name: tool, server, arguments: given }
  if (hooks.length === 0) return { body: result ?? given, denied: null }
  const endpoint = toolCallEndpoints[id]
  const inputOf = (json: JsonObject) =>
    createCheckInput({
      phase,
      endpoint,
      provider: null,
      metadata: exchange.options.metadata,
      headers: exchange.headers,
      request: { json: result === null ? json : request },
      response: result === null ? null : { json, status: 200 },
    })
  const environment = guestEnvironment(ports, exchange, endpoint)
  const outcome = await runHooks(hooks, result ?? request, {
    inputOf,
    environment,
    runLater: (run) => runGuestLater(ports, exchange, { endpoint, phase, run }),
  })
  if (phase === 'before') {
    const { record } = exchange.request
    record.toolResults = [...record.toolResults, ...outcome.results]
  }
  if (outcome.isDenied) noteDenial(ports, exchange, { phase, results: outcome.results })
  const shown = phase === 'before' ? render(outcome.results, []) : render([], outcome.results)
  const left = result === null ? outcome.body.arguments : outcome.body
  const message = denialMessage(phase, outcome.results)
  return { body: (left ?? {}) as JsonObject, denied: outcome.isDenied ? { message, results: shown } : null }
}
