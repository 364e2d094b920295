/** The chat completion request of the specification. Unknown fields pass unchanged. */
import { type TSchema, Type } from '@sinclair/typebox'
import {
  choices,
  given,
  logitBias,
  ofType,
  optional,
  penalty,
  refused,
  rule,
  seed,
  stop,
  streamOptions,
  streamOptionsNeedStream,
  temperature,
  topP,
  typedOr,
  unless,
} from './rules.ts'

const roles = ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const

const part = Type.Object({ type: Type.String({ minLength: 1 }) }, { additionalProperties: true })

const content = Type.Unsafe({ type: ['string', 'array', 'null'], items: part })

/** A tool, a call or a choice: a function, or of a newer type, which passes unchanged. */
const typed = (schema: TSchema, members: Record<string, TSchema> = {}) =>
  Type.Object(
    { ...members, type: optional(Type.String({ minLength: 1 })) },
    { additionalProperties: true, allOf: [typedOr('function'), ofType('function', schema)] },
  )

const calledFunction = Type.Object(
  { name: Type.String(), arguments: Type.String() },
  { additionalProperties: true },
)

const toolCall = typed(calledFunction, { id: Type.String() })

const needsContent = {
  required: ['content'],
  properties: { content: { not: { type: 'null' }, explain: 'must not be null' } },
}

/** What an assistant's message may have instead of content. */
const speaksWithoutContent = {
  anyOf: ['tool_calls', 'function_call', 'refusal', 'audio', 'content_blocks'].map((member) =>
    given(member, { not: { type: 'null' } }),
  ),
}

const message = Type.Object(
  {
    role: Type.Unsafe({ enum: roles }),
    content: Type.Optional(content),
    name: optional(Type.String()),
    tool_calls: optional(Type.Array(toolCall)),
    tool_call_id: optional(Type.String()),
  },
  {
    additionalProperties: true,
    allOf: [
      {
        // The roles of most messages, which need no further comparison.
        if: given('role', { enum: roles.filter((role) => role !== 'assistant') }),
        then: needsContent,
        else: { if: { not: speaksWithoutContent }, then: needsContent },
      },
      rule(given('role', { const: 'tool' }), {
        tool_call_id: { type: 'string' },
      }),
    ],
  },
)

const namedFunction = Type.Object({ name: Type.String({ minLength: 1 }) }, { additionalProperties: true })

const functionDefinition = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    description: optional(Type.String()),
    parameters: optional(Type.Object({}, { additionalProperties: true })),
    strict: optional(Type.Boolean()),
  },
  { additionalProperties: true },
)

const tool = typed(functionDefinition)

const toolChoice = typed(namedFunction)

export const chatCompleteRequest = Type.Object(
  {
    messages: Type.Array(message, { minItems: 1 }),
    model: Type.String({ minLength: 1 }),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    logit_bias: logitBias,
    logprobs: optional(Type.Boolean()),
    top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
    max_tokens: optional(Type.Integer({ minimum: 0 })),
    max_completion_tokens: optional(Type.Integer({ minimum: 0 })),
    n: choices,
    response_format: optional(Type.Object({ type: Type.String() }, { additionalProperties: true })),
    seed,
    stop,
    stream: optional(Type.Boolean()),
    stream_options: streamOptions,
    thinking: optional(
      Type.Object(
        {
          type: Type.Optional(Type.String({ minLength: 1 })),
          budget_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        { additionalProperties: true },
      ),
    ),
    temperature,
    top_p: topP,
    tools: optional(Type.Array(tool, { maxItems: 128 })),
    tool_choice: Type.Optional(
      Type.Unsafe({
        ...toolChoice,
        type: ['string', 'object', 'null'],
        minLength: 1,
        explain: 'must be none, auto, required, or {type: function, function: {name}}',
      }),
    ),
    parallel_tool_calls: optional(Type.Boolean()),
    user: optional(Type.String()),
    function_call: optional(
      Type.Union([Type.Literal('none'), Type.Literal('auto'), namedFunction], {
        explain: 'must be none, auto, or {name}',
      }),
    ),
    functions: optional(Type.Array(functionDefinition, { minItems: 1, maxItems: 128 })),
  },
  {
    additionalProperties: true,
    allOf: [
      streamOptionsNeedStream,
      rule(unless('logprobs', { const: true }), {
        top_logprobs: {
          anyOf: [{ type: 'null' }, refused('requires logprobs: true')],
          explain: 'requires logprobs: true',
        },
      }),
    ],
  },
)
