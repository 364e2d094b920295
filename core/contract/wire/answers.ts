/**
 * The answers of the inference routes, for the OpenAPI document: the members that all providers return. They are not
 * used for validation; other members pass unchanged. Streams contain the same in chunks, as events.
 */
import { type TSchema, Type } from '@sinclair/typebox'

const text = Type.String()
const textOrNull = Type.Unsafe({ type: ['string', 'null'] })
const count = Type.Integer({ minimum: 0 })
const open = { additionalProperties: true }

const checkResult = Type.Object({ id: text, verdict: Type.Boolean() }, open)
const hookResult = Type.Object(
  {
    id: text,
    verdict: Type.Boolean(),
    deny: Type.Boolean(),
    async: Type.Boolean(),
    type: Type.Unsafe({ enum: ['guardrail', 'mutator'] }),
    execution_time: Type.Number({ description: 'Milliseconds.' }),
    transformed: Type.Boolean(),
    checks: Type.Array(checkResult),
  },
  open,
)

/** Results of hooks and guardrails; present only when some ran. */
const hookResults = Type.Object(
  {
    before_request_hooks: Type.Optional(Type.Array(hookResult)),
    after_request_hooks: Type.Optional(Type.Array(hookResult)),
  },
  { title: 'HookResults', ...open },
)

const answer = (title: string, members: Record<string, TSchema>): TSchema =>
  Type.Object({ ...members, hook_results: Type.Optional(hookResults) }, { title, ...open })

const usage = Type.Optional(
  Type.Object(
    { prompt_tokens: count, completion_tokens: Type.Optional(count), total_tokens: count },
    { title: 'Usage', ...open },
  ),
)

const finish = Type.Optional(textOrNull)

export const chatCompletionAnswer = answer('ChatCompletion', {
  id: text,
  object: Type.Literal('chat.completion'),
  created: Type.Integer(),
  model: textOrNull,
  choices: Type.Array(
    Type.Object(
      {
        index: count,
        message: Type.Object({ role: text, content: Type.Optional(Type.Unsafe({})) }, open),
        finish_reason: finish,
      },
      open,
    ),
  ),
  usage,
})

export const textCompletionAnswer = answer('TextCompletion', {
  id: text,
  object: Type.Literal('text_completion'),
  created: Type.Integer(),
  model: textOrNull,
  choices: Type.Array(Type.Object({ index: count, text, finish_reason: finish }, open)),
  usage,
})

export const embeddingListAnswer = answer('EmbeddingList', {
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object(
      {
        object: Type.Literal('embedding'),
        index: count,
        embedding: Type.Unsafe({ type: ['array', 'string'], items: { type: 'number' } }),
      },
      open,
    ),
  ),
  usage,
})

export const imageListAnswer = answer('ImageList', {
  created: Type.Integer(),
  data: Type.Array(
    Type.Object(
      {
        url: Type.Optional(text),
        b64_json: Type.Optional(text),
        revised_prompt: Type.Optional(textOrNull),
      },
      open,
    ),
  ),
})

export const rankingAnswer = answer('Ranking', {
  results: Type.Array(Type.Object({ index: count, relevance_score: Type.Number() }, open)),
})

export const transcriptAnswer = answer('Transcript', { text })

export const moderationAnswer = answer('Moderation', {
  results: Type.Array(Type.Object({ flagged: Type.Boolean() }, open)),
})

export const messageAnswer = answer('Message', {
  id: text,
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  content: Type.Array(Type.Object({ type: text }, open)),
  stop_reason: Type.Optional(textOrNull),
  usage: Type.Object({ input_tokens: count, output_tokens: count }, open),
})

export const tokenCountAnswer = answer('TokenCount', { input_tokens: count })

export const responseAnswer = answer('Response', {
  id: text,
  object: Type.Literal('response'),
  status: Type.Optional(text),
  output: Type.Array(Type.Object({ type: text }, open)),
})
