/** Runs guardrails on an event of a session, and adds their results to its record. */
import type { JsonObject } from '@gateway/contract'
import type { CheckedEvent } from '@gateway/contract/dialect'
import { type CheckPorts, type CompiledHook, changeInput, type Ports, type Targeted } from '@gateway/flow'
import {
  checkEnvironment,
  createCheckInput,
  denialMessage,
  recordGuardrails,
  runHooks,
  runLater,
} from '../guardrails/index.ts'
import { noteDenial } from '../observability/index.ts'

interface EventCheck {
  phase: 'before' | 'after'
  hooks: readonly CompiledHook[]
  event: JsonObject
}

export async function checkEvent(
  ports: CheckPorts & Ports<'services'>,
  exchange: Targeted,
  { phase, hooks, event }: EventCheck,
): Promise<CheckedEvent> {
  const inputOf = (json: JsonObject) =>
    createCheckInput({
      phase,
      endpoint: exchange.endpoint,
      provider: exchange.target?.adapter.name ?? null,
      metadata: exchange.options.metadata,
      headers: exchange.headers,
      request: { json: phase === 'before' ? json : exchange.input.body },
      response: phase === 'before' ? null : { json, status: 200 },
    })
  const outcome = await runHooks(hooks, event, {
    inputOf,
    environment: checkEnvironment(ports, exchange),
    runLater: (run) => runLater(ports, exchange, { phase, run }),
  })
  recordGuardrails(exchange, phase, outcome.results)
  if (phase === 'before') {
    const { beforeResults } = exchange.input
    changeInput(exchange, { beforeResults: [...beforeResults, ...outcome.results].slice(-100) })
  }
  if (!outcome.isDenied) return { body: outcome.body, denial: null }
  noteDenial(ports, exchange, { phase, results: outcome.results })
  return { body: outcome.body, denial: denialMessage(phase, outcome.results) }
}
