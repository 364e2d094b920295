/**
 * The test cases of a prompt: variables, and what an answer to them must say. They belong to all versions, so that a
 * change of them adds none; whoever runs a version compares its answers.
 */
import { Type } from '@sinclair/typebox'

const kinds = ['contains', 'not_contains', 'equals', 'matches', 'json'] as const

const expected = Type.Object(
  {
    type: Type.Unsafe<(typeof kinds)[number]>({
      type: 'string',
      enum: [...kinds],
      description:
        'contains, not_contains and equals compare with the value, matches with the value as a regular expression; json: the answer is JSON.',
    }),
    value: Type.Optional(Type.String({ maxLength: 10_000, trim: false })),
  },
  { additionalProperties: false },
)

export const testCases = Type.Array(
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 255 }),
      variables: Type.Object({}, { additionalProperties: true }),
      expected: Type.Array(expected, { maxItems: 20 }),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100 },
)
