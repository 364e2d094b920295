/** The text completion request of the specification. */
import { Type } from '@sinclair/typebox'
import {
  choices,
  given,
  logitBias,
  optional,
  penalty,
  rule,
  seed,
  stop,
  streamOptions,
  streamOptionsNeedStream,
  temperature,
  topP,
} from './rules.ts'

const tokens = Type.Array(Type.Integer())

/** Text or tokens, one or many. */
const textOrTokens = Type.Union([Type.String(), Type.Array(Type.String()), tokens, Type.Array(tokens)], {
  explain: 'must be a string, an array of strings, an array of tokens, or an array of token arrays',
})

export const completeRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    prompt: optional(textOrTokens),
    best_of: optional(Type.Integer({ minimum: 0, maximum: 20 })),
    echo: optional(Type.Boolean()),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    logit_bias: logitBias,
    logprobs: optional(Type.Integer({ minimum: 0, maximum: 5 })),
    max_tokens: optional(Type.Integer({ minimum: 0 })),
    n: choices,
    seed,
    stop,
    stream: optional(Type.Boolean()),
    stream_options: streamOptions,
    suffix: optional(Type.String()),
    temperature,
    top_p: topP,
    user: optional(Type.String()),
  },
  {
    additionalProperties: true,
    allOf: [
      streamOptionsNeedStream,
      rule(given('stream', { const: true }), {
        best_of: {
          anyOf: [{ type: 'null' }, { maximum: 1 }],
          explain: 'cannot be streamed',
        },
      }),
      rule(given('best_of', { type: 'integer' }), {
        best_of: {
          anyOf: [{ const: 0 }, { type: 'integer', minimum: { $data: '1/n' } }],
          explain: 'must be 0 or at least n',
        },
      }),
    ],
  },
)
