/**
 * The guardrails of a session: input hooks on client events and on transcripts of speech; output hooks on each
 * response. A denial is sent to the client as an error event, and the session continues.
 */
import { type ErrorCode, GatewayError, isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { CheckPorts, CompiledHook, Ports, Targeted } from '../flow/index.ts'
import {
  checkEnvironment,
  createCheckInput,
  recordGuardrails,
  runHooks,
  runLater,
} from '../guardrails/index.ts'
import { noteDenial } from '../observability/index.ts'

export interface SessionGuard {
  /** Whether a response is held back until it was checked. */
  holdsResponses: boolean
  /** The messages for the provider and for the client; null for no message. */
  checkClient(text: string): Promise<{ forward: string | null; reply: string | null }>
  /** Null: the event is forwarded. */
  checkServer(event: JsonObject): Promise<{ toClient: string; toProvider: string[] } | null>
}

/** Audio cannot be checked; its transcript is. */
const audio = 'input_audio_buffer.append'
const transcribed = 'conversation.item.input_audio_transcription.completed'
const responseDone = 'response.done'

export function createSessionGuard(ports: CheckPorts & Ports<'services'>, exchange: Targeted): SessionGuard {
  const after = exchange.node.after
  const before = exchange.sessionHooks

  return {
    holdsResponses: after.some(
      ({ deny, denyOnSuccess, type, async }) => (deny || denyOnSuccess || type === 'mutator') && !async,
    ),
    async checkClient(text) {
      if (before.length === 0) return { forward: text, reply: null }
      const event = parseJson(text)
      // Messages that guardrails cannot read are refused.
      if (!isObject(event))
        return { forward: null, reply: errorEvent(null, 'This event is not a JSON object.', 'invalid_json') }
      if (event.type === audio) return { forward: text, reply: null }
      const checked = await check(ports, exchange, 'before', before, event as JsonObject)
      if (checked.isDenied) {
        const id = typeof event.event_id === 'string' ? event.event_id : null
        return { forward: null, reply: errorEvent(id, 'A guardrail denied this event.', 'guardrail_denied') }
      }
      return { forward: checked.body === event ? text : JSON.stringify(checked.body), reply: null }
    },
    async checkServer(event) {
      if (event.type === transcribed && before.length > 0) {
        const { isDenied } = await check(ports, exchange, 'before', before, event)
        return isDenied ? denied(event, [{ type: 'response.cancel' }, ...deletions([event.item_id])]) : null
      }
      if (event.type !== responseDone || after.length === 0) return null
      const { isDenied } = await check(ports, exchange, 'after', after, event)
      return isDenied ? denied(event, deletions(itemsOf(event))) : null
    },
  }
}

const denied = (_event: JsonObject, toProvider: JsonObject[]) => ({
  toClient: errorEvent(null, 'A guardrail denied the spoken input.', 'guardrail_denied'),
  toProvider: toProvider.map((message) => JSON.stringify(message)),
})

/** Denied items are removed from the conversation. */
const deletions = (ids: readonly unknown[]): JsonObject[] =>
  ids.flatMap((item_id) => (typeof item_id === 'string' ? { type: 'conversation.item.delete', item_id } : []))

function itemsOf({ response }: JsonObject): unknown[] {
  const output = isObject(response) ? response.output : null
  return Array.isArray(output) ? output.map((item) => (isObject(item) ? item.id : null)) : []
}

async function check(
  ports: CheckPorts & Ports<'services'>,
  exchange: Targeted,
  phase: 'before' | 'after',
  hooks: readonly CompiledHook[],
  event: JsonObject,
) {
  const inputOf = (json: JsonObject) =>
    createCheckInput({
      phase,
      endpoint: exchange.endpoint,
      provider: exchange.target?.adapter.name ?? null,
      metadata: exchange.options.metadata,
      headers: exchange.headers,
      request: { json: phase === 'before' ? json : exchange.body },
      response: phase === 'before' ? null : { json, status: 200 },
    })
  const outcome = await runHooks(hooks, event, inputOf, checkEnvironment(ports, exchange), (run) =>
    runLater(ports, exchange, phase, run),
  )
  recordGuardrails(exchange, phase, outcome.results)
  if (phase === 'before') exchange.beforeResults = [...exchange.beforeResults, ...outcome.results].slice(-100)
  if (outcome.isDenied) noteDenial(ports, exchange, phase, outcome.results)
  return outcome
}

/** In the provider's format of session errors. */
export function errorEvent(eventId: string | null, message: string, code: ErrorCode): string {
  const { type } = new GatewayError(code, message)
  const error = { type, code, message, param: null, event_id: eventId }
  return JSON.stringify({
    type: 'error',
    event_id: `event_${crypto.randomUUID().replaceAll('-', '')}`,
    error,
  })
}
