/**
 * `/v1/messages` in front of two kinds of targets: one supports the format itself, the other chat completions. Source
 * of the vendor's bodies: https://platform.claude.com/docs/en/api/messages,
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages'
import type { Reply, Scene } from '../../support/scene.ts'
import { answerOk, chatEvents, type Handler, sendEvents, sendJson } from '../../support/upstream.ts'

/** Which target answers: `native` forwards messages, `translated` receives a chat completion request. */
export const kinds = ['native', 'translated'] as const
export type Kind = (typeof kinds)[number]

/** Required members of a message and its usage that no chat provider reports. TypeScript checks their names. */
export const unreported = {
  container: null,
  diagnostics: null,
  stop_details: null,
} satisfies Partial<Message>
export const unreportedUsage = {
  cache_creation: null,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
} satisfies Partial<Message['usage']>

type Usage = Pick<Message['usage'], 'input_tokens' | 'output_tokens'>
export type PlainMessage = Pick<
  Message,
  'id' | 'type' | 'role' | 'model' | 'stop_reason' | 'stop_sequence'
> & {
  content: object[]
  usage: Usage
}

export const message = (text: string, rest: Partial<PlainMessage> = {}): PlainMessage => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'test-model',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
  ...rest,
})

/** An event in the vendor's notation. */
export const named = (event: {
  type: RawMessageStreamEvent['type'] | 'ping' | 'error'
  [key: string]: unknown
}) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** The events of a message with these texts, up to `message_delta`. */
export const openEvents = (...pieces: string[]): string[] => [
  named({
    type: 'message_start',
    message: message('', { content: [], stop_reason: null, usage: { input_tokens: 3, output_tokens: 1 } }),
  }),
  named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  named({ type: 'ping' }),
  ...pieces.map((text) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  ),
  named({ type: 'content_block_stop', index: 0 }),
  named({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 2 },
  }),
]

export const stopEvent = named({ type: 'message_stop' })

/** A target that answers with these texts, in the format of the request. */
export const says =
  (...pieces: string[]): Handler =>
  (request, response, count) => {
    const isStream = request.json?.stream === true
    const said = pieces.join('')
    if (request.path.endsWith('/messages')) {
      if (isStream) sendEvents(response, [...openEvents(...pieces), stopEvent])
      else sendJson(response, 200, message(said))
      return
    }
    if (isStream) sendEvents(response, chatEvents(...pieces))
    else if (said === 'ok') answerOk(request, response, count)
    else
      sendJson(response, 200, {
        ...chat,
        choices: [{ ...choice, message: { role: 'assistant', content: said } }],
      })
  }

const choice = { index: 0, finish_reason: 'stop' }
const chat = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'test-model',
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}

interface TargetOptions {
  name: string
  extra?: Record<string, unknown>
}

/** A target of this kind. */
export const targetOf = (scene: Scene, kind: Kind, { name, extra = {} }: TargetOptions) =>
  scene.leaf(name, { provider: kind === 'native' ? 'anthropic' : 'openai', ...extra })

/** A request's body. */
export const ask = (
  content: unknown = 'hello',
  extra: Record<string, unknown> = {},
): Record<string, unknown> => ({
  model: 'test-model',
  max_tokens: 100,
  messages: [{ role: 'user', content }],
  ...extra,
})

export const path = '/v1/messages'

interface AskMessagesOptions {
  body?: Record<string, unknown>
  headers?: Record<string, string>
}

/** Asks with this config. */
export const askMessages = (
  scene: Scene,
  config: unknown,
  { body = ask(), headers = {} }: AskMessagesOptions = {},
): Promise<Reply> => scene.ask(config, { path, body, headers })

export interface NamedEvent {
  name: string | null
  data: Record<string, unknown>
}

/** The events of a reply. Each must have a name. */
export function eventsOf({ text }: Pick<Reply, 'text'>): NamedEvent[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const name = /^event: (.*)$/m.exec(event)?.[1] ?? null
      return { name, data: JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? 'null') as Record<string, unknown> }
    })
}

/** The text that a stream delivered. */
export const textOf = (reply: Pick<Reply, 'text'>): string =>
  eventsOf(reply)
    .map(({ data }) => (data.delta as { text?: string } | undefined)?.text ?? '')
    .join('')

/** The text of a whole message. */
export const saidBy = ({ body }: Pick<Reply, 'body'>): string =>
  ((body.content ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('')
