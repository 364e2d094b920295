/**
 * The bodies and events of `/v1/messages` and `/v1/messages/count_tokens`. Only the common members of blocks and tools
 * are validated; newer types and unknown fields pass.
 * Reference: https://platform.claude.com/docs/en/api/messages,
 * https://platform.claude.com/docs/en/api/messages-count-tokens
 */
import { answerWithHooks, given, optional } from '@gateway/contract/wire'
import { type TSchema, Type } from '@sinclair/typebox'

const text = Type.String()
const named = Type.String({ minLength: 1 })

/** Additional members of a block or a tool with this type. */
const ofType = (type: string, properties: Record<string, TSchema>) => ({
  if: given('type', { const: type }),
  then: { required: Object.keys(properties), properties },
})

const source = Type.Object(
  { type: named },
  {
    additionalProperties: true,
    allOf: [
      ofType('base64', { media_type: text, data: text }),
      ofType('url', { url: text }),
      ofType('file', { file_id: text }),
      ofType('text', { data: text }),
    ],
  },
)

const resultContent = Type.Unsafe({
  type: ['string', 'array', 'null'],
  items: Type.Object({ type: named }, { additionalProperties: true }),
})

const block = Type.Object(
  { type: named },
  {
    additionalProperties: true,
    allOf: [
      ofType('text', { text }),
      ofType('image', { source }),
      ofType('document', { source }),
      ofType('thinking', { thinking: text }),
      ofType('redacted_thinking', { data: text }),
      ofType('tool_use', { id: named, name: named, input: Type.Object({}, { additionalProperties: true }) }),
      ofType('tool_result', { tool_use_id: named }),
      { if: given('type', { const: 'tool_result' }), then: { properties: { content: resultContent } } },
    ],
  },
)

const message = Type.Object(
  {
    role: Type.Unsafe({ enum: ['user', 'assistant', 'system'] }),
    content: Type.Unsafe({ type: ['string', 'array'], items: block }),
  },
  { additionalProperties: true },
)

/** Of the known blocks, only text is allowed here; newer types pass. */
const systemBlock = Type.Object(
  {
    type: Type.String({
      minLength: 1,
      not: { enum: ['image', 'document', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'] },
      explain: 'must be text',
    }),
  },
  { additionalProperties: true, allOf: [ofType('text', { text })] },
)

/** Custom tools have a schema. The vendor's tools are identified by their `type`. */
const tool = Type.Object(
  { name: optional(named), description: optional(text), type: optional(named) },
  {
    additionalProperties: true,
    allOf: [
      {
        if: given('type', { type: 'string', not: { const: 'custom' } }),
        else: {
          required: ['name', 'input_schema'],
          properties: { name: { type: 'string' }, input_schema: { type: 'object' } },
        },
      },
    ],
  },
)

const toolChoice = Type.Object(
  {
    type: named,
    disable_parallel_tool_use: optional(Type.Boolean()),
  },
  { additionalProperties: true, allOf: [ofType('tool', { name: named })] },
)

const thinking = Type.Object(
  { type: named },
  {
    additionalProperties: true,
    allOf: [ofType('enabled', { budget_tokens: Type.Integer({ minimum: 1 }) })],
  },
)

const shared = {
  model: named,
  messages: Type.Array(message, { minItems: 1 }),
  system: Type.Optional(Type.Unsafe({ type: ['string', 'array', 'null'], items: systemBlock })),
  tools: optional(Type.Array(tool)),
  tool_choice: optional(toolChoice),
  thinking: optional(thinking),
  output_config: optional(Type.Object({}, { additionalProperties: true })),
}

export const messagesRequest = Type.Object(
  {
    ...shared,
    max_tokens: Type.Integer({ minimum: 1 }),
    metadata: optional(Type.Object({ user_id: optional(text) }, { additionalProperties: true })),
    stop_sequences: optional(Type.Array(text)),
    stream: optional(Type.Boolean()),
    temperature: optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_k: optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: true },
)

export const countTokensRequest = Type.Object(shared, { additionalProperties: true })

const open = { additionalProperties: true }
const count = Type.Integer({ minimum: 0 })
const anyObject = Type.Object({}, open)

export const messageAnswer = answerWithHooks('Message', {
  id: text,
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  content: Type.Array(Type.Object({ type: text }, open)),
  stop_reason: Type.Optional(Type.Unsafe({ type: ['string', 'null'] })),
  usage: Type.Object({ input_tokens: count, output_tokens: count }, open),
})

export const tokenCountAnswer = answerWithHooks('TokenCount', { input_tokens: count })

/** The JSON in each `data:` line of a stream. https://platform.claude.com/docs/en/build-with-claude/streaming */
export const messageEvent = Type.Object(
  {
    type: Type.String({
      description:
        'message_start, content_block_start, content_block_delta, content_block_stop, message_delta, message_stop, ping or error',
      examples: ['content_block_delta'],
    }),
    index: Type.Optional(Type.Integer({ description: 'Of the content block.' })),
    message: Type.Optional(anyObject),
    content_block: Type.Optional(anyObject),
    delta: Type.Optional(anyObject),
    usage: Type.Optional(anyObject),
  },
  { title: 'MessageEvent', ...open },
)
