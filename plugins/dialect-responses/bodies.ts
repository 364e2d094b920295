/**
 * The bodies and events of the Responses endpoints, except the create request's body, which batches also check
 * (`@gateway/contract/wire`). Answers are described but not validated; other members pass unchanged.
 * Reference: https://www.openresponses.org/reference
 */
import { answerWithHooks } from '@gateway/contract/wire'
import { Type } from '@sinclair/typebox'

const open = { additionalProperties: true }
const text = Type.String()
const textOrNull = Type.Unsafe({ type: ['string', 'null'] })
const anyObject = Type.Object({}, open)

export const responseAnswer = answerWithHooks('Response', {
  id: text,
  object: Type.Literal('response'),
  status: Type.Optional(text),
  output: Type.Array(Type.Object({ type: text }, open)),
})

/** The JSON in each `data:` line of a stream. Members that only some events have are optional. */
export const responseEvent = Type.Object(
  {
    type: Type.String({
      description: 'Such as response.created, response.output_text.delta or response.completed.',
      examples: ['response.output_text.delta'],
    }),
    sequence_number: Type.Integer(),
    response: Type.Optional(anyObject),
    item_id: Type.Optional(text),
    output_index: Type.Optional(Type.Integer()),
    delta: Type.Optional(text),
  },
  { title: 'ResponseEvent', ...open },
)

/**
 * The body of token counts and compactions, with the members of create requests. A provider with the endpoint validates
 * the rest.
 */
export const responseInput = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1 })),
    input: Type.Optional(Type.Union([text, Type.Array(anyObject), Type.Null()])),
    instructions: Type.Optional(Type.Union([text, Type.Null()])),
    previous_response_id: Type.Optional(Type.Union([text, Type.Null()])),
  },
  open,
)

export const inputTokensAnswer = Type.Object(
  { object: Type.Literal('response.input_tokens'), input_tokens: Type.Integer() },
  open,
)

export const compactionAnswer = Type.Object(
  {
    id: text,
    object: Type.Literal('response.compaction'),
    created_at: Type.Integer(),
    output: Type.Array(Type.Object({ type: text }, open)),
    usage: anyObject,
  },
  open,
)

export const responseQuery = Type.Object({
  stream: Type.Optional(Type.Boolean()),
  starting_after: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999 })),
  include_obfuscation: Type.Optional(Type.Boolean()),
})

export const itemsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  order: Type.Optional(Type.Unsafe({ enum: ['asc', 'desc'] })),
  after: Type.Optional(text),
  before: Type.Optional(text),
})

export const itemListAnswer = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(anyObject),
    first_id: Type.Optional(textOrNull),
    last_id: Type.Optional(textOrNull),
    has_more: Type.Boolean(),
  },
  { title: 'ResponseItemList', ...open },
)

export const deletionAnswer = Type.Object({ id: text, object: text, deleted: Type.Boolean() }, open)
