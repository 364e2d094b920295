/**
 * The requests of `/v1/messages` and `/v1/messages/count_tokens`. Only the common members of blocks and tools are
 * validated; newer types and unknown fields pass. Reference: https://platform.claude.com/docs/en/api/messages,
 * https://platform.claude.com/docs/en/api/messages-count-tokens
 */
import { type TSchema, Type } from '@sinclair/typebox'
import { given, optional } from './rules.ts'

const text = Type.String()
const named = Type.String({ minLength: 1 })

/** Further members of a block or tool of this type. */
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

/** Blocks of newer types pass; of those that are known, only texts belong here. */
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

/** Custom tools have a schema; the vendor's are identified by their `type`. */
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
