/**
 * Runs one guardrail outside any call, for the management API: on a request and, in the after phase, on its answer.
 * Nothing is forwarded, denied or stored; async guardrails are awaited, too. Errors: those of the guardrail's
 * validation, with paths.
 */

import {
  compileTogether,
  type Fault,
  faultsError,
  GatewayError,
  type GuardrailSubject,
  type JsonObject,
} from '@gateway/contract'
import type { Guardrail } from '@gateway/domain'
import type { Admitted, CheckPorts, CompiledHook, Endpoint, HookResult, Ports } from '@gateway/flow'
import { chat, completions, embeddings, rerank } from '../endpoints/index.ts'
import { compileHooks } from './compile.ts'
import { guestEnvironment } from './environment.ts'
import { createCheckInput } from './input.ts'
import { runHooks } from './run-hooks.ts'

const phases = { beforeRequestHook: 'before', afterRequestHook: 'after' } as const

/** @param guardrail as written in a config; has passed its schema */
export async function runGuardrail(
  ports: CheckPorts & Ports<'endpoints'>,
  exchange: Admitted,
  { guardrail, subject }: { guardrail: JsonObject; subject: GuardrailSubject },
): Promise<JsonObject> {
  const phase = phases[subject.hook]
  const hook = compile(exchange, guardrail, subject)
  const endpoint = endpointOf(ports, subject.request)
  const environment = guestEnvironment(ports, exchange, endpoint)
  const inputOf = (json: JsonObject) =>
    createCheckInput({
      phase,
      endpoint,
      provider: null,
      metadata: subject.metadata,
      headers: exchange.headers,
      request: { json: phase === 'before' ? json : subject.request },
      response: phase === 'before' ? null : { json, status: 200 },
    })
  const body = phase === 'before' ? subject.request : (subject.response ?? {})
  const late: Promise<HookResult>[] = []
  const { results } = await runHooks([hook], body, {
    inputOf,
    environment,
    runLater: (run) => void late.push(run(environment)),
  })
  const [result] = [...results, ...(await Promise.all(late))]
  if (result === undefined) throw new Error('A guardrail returned no result.')
  // It is JSON except for `data`, which checks create.
  return JSON.parse(JSON.stringify(result)) as JsonObject
}

function compile(exchange: Admitted, guardrail: JsonObject, { hook }: GuardrailSubject): CompiledHook {
  const faults: Fault[] = []
  // The caller has checked its schema.
  const { context } = exchange.workspace
  const [compiled] = compileTogether(() =>
    compileHooks([guardrail as Guardrail], phases[hook], { param: '', context, faults }),
  )
  const fault = faults[0]
  if (fault !== undefined) {
    throw faultsError(faults.map((each) => ({ ...each, param: each.param.replace(/^\/0(?=\/|$)/, '') })))
  }
  if (compiled === undefined)
    throw new GatewayError('invalid_body', 'The guardrail has no checks.', { param: '/checks' })
  return compiled
}

/** The endpoint of a body, by its distinguishing member. */
function endpointOf({ endpoints }: Ports<'endpoints'>, request: JsonObject): Endpoint {
  if (request.messages !== undefined) return chat
  if (request.prompt !== undefined) return completions
  if (request.documents !== undefined) return rerank
  if (request.input === undefined) return chat
  return endpoints.find(({ conversation }) => conversation === 'input') ?? embeddings
}
