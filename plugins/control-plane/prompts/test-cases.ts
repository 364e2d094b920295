/**
 * The test cases of a prompt: variables, and expectations for the answer. They belong to all versions, so
 * changing them adds no version; the caller that runs a version compares its answers.
 */
import { compilePattern, compileTogether } from '@gateway/contract'
import type { PromptData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import type { Write } from '../engine/index.ts'

const kinds = ['contains', 'not_contains', 'equals', 'matches', 'json'] as const

const expected = Type.Object(
  {
    type: Type.Unsafe<(typeof kinds)[number]>({
      type: 'string',
      enum: [...kinds],
      description:
        'contains, not_contains and equals compare with the value, matches with the value as a regular expression in RE2 syntax; json: the answer is JSON.',
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

/** Errors at the value of each unusable pattern, because it would never match. */
export function checkTestCases({ draft: { data }, fault, isGiven }: Write<PromptData>): void {
  if (!isGiven('test_cases')) return
  compileTogether(() => {
    for (const [index, { expected }] of (data.test_cases ?? []).entries())
      for (const [place, { type, value }] of expected.entries()) {
        if (type !== 'matches') continue
        try {
          compilePattern(value ?? '')
        } catch (error) {
          if (!(error instanceof Error)) throw error
          fault(`/test_cases/${index}/expected/${place}/value`, `is not a pattern: ${error.message}`)
        }
      }
  })
}
