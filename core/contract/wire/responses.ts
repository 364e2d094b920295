/**
 * The body of `POST /v1/responses`. Only members that every target needs are validated: providers with this endpoint
 * support more item and tool types than can be translated. Unknown fields pass unchanged. Reference:
 * https://www.openresponses.org/reference
 */
import { Type } from '@sinclair/typebox'
import { given, optional, penalty, refused, rule, temperature, topP } from './rules.ts'

const roles = ['user', 'assistant', 'system', 'developer'] as const

const part = Type.Object({ type: Type.String({ minLength: 1 }) }, { additionalProperties: true })

const content = Type.Unsafe({ type: ['string', 'array'], items: part })

const text = (...members: string[]) =>
  Object.fromEntries(members.map((member) => [member, { type: 'string' }]))

/** An item of this type has these members. */
const itemOf = (type: string, members: Record<string, object>) => ({
  if: given('type', { const: type }),
  then: { properties: members, required: Object.keys(members) },
})

/** Items of newer types may have a role, too. */
const isMessage = { ...given('role'), not: given('type', { type: 'string', not: { const: 'message' } }) }

const item = Type.Object(
  { type: optional(Type.String()) },
  {
    additionalProperties: true,
    allOf: [
      { if: isMessage, then: { properties: { role: { enum: roles }, content }, required: ['content'] } },
      itemOf('function_call', text('call_id', 'name', 'arguments')),
      itemOf('custom_tool_call', text('call_id', 'name', 'input')),
      itemOf('custom_tool_call_output', { ...text('call_id'), output: content }),
      itemOf('function_call_output', { ...text('call_id'), output: content }),
    ],
  },
)

const tool = Type.Object({ type: Type.String({ minLength: 1 }) }, { additionalProperties: true })

const object = (members: Parameters<typeof Type.Object>[0] = {}) =>
  optional(Type.Object(members, { additionalProperties: true }))

export const createResponseRequest = Type.Object(
  {
    model: optional(Type.String({ minLength: 1 })),
    input: Type.Optional(Type.Unsafe({ type: ['string', 'array', 'null'], items: item })),
    instructions: optional(Type.String()),
    background: optional(Type.Boolean()),
    conversation: Type.Optional(Type.Unsafe({ type: ['string', 'object', 'null'] })),
    include: optional(Type.Array(Type.String())),
    frequency_penalty: penalty,
    max_output_tokens: optional(Type.Integer({ minimum: 1 })),
    max_tool_calls: optional(Type.Integer({ minimum: 1 })),
    metadata: optional(Type.Record(Type.String(), Type.String())),
    parallel_tool_calls: optional(Type.Boolean()),
    presence_penalty: penalty,
    previous_response_id: optional(Type.String({ minLength: 1, maxLength: 200 })),
    prompt_cache_key: optional(Type.String()),
    reasoning: object({ effort: optional(Type.String()) }),
    safety_identifier: optional(Type.String()),
    service_tier: optional(Type.String()),
    store: optional(Type.Boolean()),
    stream: optional(Type.Boolean()),
    stream_options: object(),
    temperature,
    text: object({ format: object({ type: Type.String() }) }),
    tool_choice: Type.Optional(
      Type.Unsafe({
        type: ['string', 'object', 'null'],
        minLength: 1,
        required: ['type'],
        properties: { type: { type: 'string', minLength: 1 } },
        explain: 'must be none, auto, required, or an object with a type',
      }),
    ),
    tools: optional(Type.Array(tool, { maxItems: 128 })),
    top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
    top_p: topP,
    truncation: optional(Type.Union([Type.Literal('auto'), Type.Literal('disabled')])),
    user: optional(Type.String()),
  },
  {
    additionalProperties: true,
    allOf: [
      rule(given('previous_response_id', { type: 'string' }), {
        conversation: {
          anyOf: [{ type: 'null' }, refused('cannot be combined with previous_response_id')],
          explain: 'cannot be combined with previous_response_id',
        },
      }),
    ],
  },
)
