/**
 * The guardrails of a session: input hooks on client events and on transcripts of speech; output hooks on each
 * response. A denial is sent to the client as an error event, and the session continues.
 */
import { type ErrorCode, GatewayError, isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { SessionHost } from '@gateway/contract/dialect'

export interface SessionGuard {
  /** The messages for the provider and for the client; null for no message. */
  checkClient(text: string): Promise<{ forward: string | null; reply: string | null }>
  /** The error event of a denial; null if the event is forwarded. */
  checkServer(event: JsonObject): Promise<{ toClient: string; toProvider: string[] } | null>
}

/** Audio cannot be checked; its transcript is. */
const audio = 'input_audio_buffer.append'
const transcribed = 'conversation.item.input_audio_transcription.completed'
const responseDone = 'response.done'

export function createSessionGuard({
  checksInput,
  checksOutput,
  check,
}: Pick<SessionHost, 'checksInput' | 'checksOutput' | 'check'>): SessionGuard {
  return {
    async checkClient(text) {
      if (!checksInput) return { forward: text, reply: null }
      const event = parseJson(text)
      // Messages that guardrails cannot read are refused.
      if (!isObject(event))
        return { forward: null, reply: errorEvent(null, 'This event is not a JSON object.', 'invalid_json') }
      if (event.type === audio) return { forward: text, reply: null }
      const checked = await check('before', event as JsonObject)
      if (checked.denial !== null) {
        const id = typeof event.event_id === 'string' ? event.event_id : null
        return { forward: null, reply: errorEvent(id, checked.denial, 'guardrail_denied') }
      }
      return { forward: checked.body === event ? text : JSON.stringify(checked.body), reply: null }
    },
    async checkServer(event) {
      if (event.type === transcribed && checksInput) {
        const { denial } = await check('before', event)
        return denied(denial, [{ type: 'response.cancel' }, ...deletions([event.item_id])])
      }
      if (event.type !== responseDone || !checksOutput) return null
      const { denial } = await check('after', event)
      return denied(denial, deletions(itemsOf(event)))
    },
  }
}

const denied = (denial: string | null, toProvider: JsonObject[]) =>
  denial === null
    ? null
    : {
        toClient: errorEvent(null, denial, 'guardrail_denied'),
        toProvider: toProvider.map((message) => JSON.stringify(message)),
      }

/** Denied items are removed from the conversation. */
const deletions = (ids: readonly unknown[]): JsonObject[] =>
  ids.flatMap((item_id) => (typeof item_id === 'string' ? { type: 'conversation.item.delete', item_id } : []))

function itemsOf({ response }: JsonObject): unknown[] {
  const output = isObject(response) ? response.output : null
  return Array.isArray(output) ? output.map((item) => (isObject(item) ? item.id : null)) : []
}

/** An error event in the provider's format. */
export function errorEvent(eventId: string | null, message: string, code: ErrorCode): string {
  const { type } = new GatewayError(code, message)
  const error = { type, code, message, param: null, event_id: eventId }
  return JSON.stringify({
    type: 'error',
    event_id: `event_${crypto.randomUUID().replaceAll('-', '')}`,
    error,
  })
}
