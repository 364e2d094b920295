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

/** An answer with these members, and with the results of hooks if some ran. */
export const answerWithHooks = (title: string, members: Record<string, TSchema>): TSchema =>
  Type.Object({ ...members, hook_results: Type.Optional(hookResults) }, { title, ...open })

const usage = Type.Optional(
  Type.Object(
    { prompt_tokens: count, completion_tokens: Type.Optional(count), total_tokens: count },
    { title: 'Usage', ...open },
  ),
)

const finish = Type.Optional(textOrNull)

export const chatCompletionAnswer = answerWithHooks('ChatCompletion', {
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

export const textCompletionAnswer = answerWithHooks('TextCompletion', {
  id: text,
  object: Type.Literal('text_completion'),
  created: Type.Integer(),
  model: textOrNull,
  choices: Type.Array(Type.Object({ index: count, text, finish_reason: finish }, open)),
  usage,
})

export const embeddingListAnswer = answerWithHooks('EmbeddingList', {
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

export const imageListAnswer = answerWithHooks('ImageList', {
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

export const rankingAnswer = answerWithHooks('Ranking', {
  results: Type.Array(Type.Object({ index: count, relevance_score: Type.Number() }, open)),
})

export const transcriptAnswer = answerWithHooks('Transcript', { text })

export const moderationAnswer = answerWithHooks('Moderation', {
  results: Type.Array(Type.Object({ flagged: Type.Boolean() }, open)),
})
