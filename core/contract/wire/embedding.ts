/** The embedding request of the specification. */
import { Type } from '@sinclair/typebox'
import { givenModel, optional, refused, rule } from './rules.ts'

const tokens = Type.Array(Type.Integer(), { minItems: 1, maxItems: 2048 })

export const embedRequest = Type.Object(
  {
    input: Type.Union(
      [
        Type.String({ minLength: 1 }),
        Type.Array(Type.String(), { minItems: 1, maxItems: 2048 }),
        tokens,
        Type.Array(tokens, { minItems: 1, maxItems: 2048 }),
      ],
      {
        explain: 'must be a non-empty string, or an array of 1 to 2048 strings, tokens, or token arrays',
      },
    ),
    model: Type.String({ minLength: 1 }),
    dimensions: optional(Type.Integer({ minimum: 1 })),
    encoding_format: optional(Type.String()),
    user: optional(Type.String()),
  },
  {
    additionalProperties: true,
    allOf: [
      rule(givenModel('text-embedding-ada-002'), {
        dimensions: {
          anyOf: [{ type: 'null' }, refused('needs a third-generation or later embedding model')],
          explain: 'needs a third-generation or later embedding model',
        },
      }),
    ],
  },
)
