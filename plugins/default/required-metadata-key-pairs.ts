/** `default.requiredMetadataKeyPairs`: the request's metadata has the given keys with the given values. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { choice, type Filled } from './shared/parameters.ts'
import { compileRule } from './shared/rule.ts'

const parameters = Type.Object(
  {
    metadataPairs: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
      minProperties: 1,
      description:
        'The required value of each metadata key. A list of values is only for matchType containsAll.',
    }),
    operator: Type.Optional(choice(['all', 'any', 'none'], 'How many of the pairs must match.')),
    matchType: Type.Optional(
      choice(
        ['exact', 'contains', 'containsAll', 'regex'],
        'exact: the same text. contains: the metadata value contains the given text. containsAll: it contains each ' +
          'item of the given list, which may be a comma-separated string. regex: it matches the given rule (RE2 syntax).',
      ),
    ),
  },
  { additionalProperties: false },
)

type MatchType = Filled<typeof parameters>['matchType']

export const requiredMetadataKeyPairs: Check<Filled<typeof parameters>> = {
  id: 'requiredMetadataKeyPairs',
  title: 'Required metadata pairs',
  description:
    'Passes when all, any or none of the pairs match the request metadata. A key that the metadata lacks does not ' +
    'match. Comparison is case-sensitive.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ metadataPairs, operator, matchType }) {
    const tests = Object.entries(metadataPairs).map(
      ([key, given]) => [key, createTest(key, given, matchType)] as const,
    )
    return {
      run({ metadata }) {
        const matched: string[] = []
        const unmatched: string[] = []
        for (const [key, test] of tests) {
          const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
          if (value !== undefined && test(value)) matched.push(key)
          else unmatched.push(key)
        }
        const verdicts = {
          all: unmatched.length === 0,
          any: matched.length > 0,
          none: matched.length === 0,
        }
        return { verdict: verdicts[operator], data: { matched, unmatched } }
      },
    }
  },
}

function createTest(key: string, given: string | string[], matchType: MatchType): (value: string) => boolean {
  if (matchType === 'containsAll') {
    const items = (Array.isArray(given) ? given : given.split(',')).map((item) => item.trim())
    if (items.length === 0 || items.includes(''))
      throw new Error(`metadataPairs/${key} has an empty item, which every value contains`)
    return (value) => items.every((item) => value.includes(item))
  }
  if (Array.isArray(given))
    throw new Error(`metadataPairs/${key} must be a string for matchType ${matchType}`)
  if (matchType === 'exact') return (value) => value === given
  if (matchType === 'contains') return (value) => value.includes(given)
  const pattern = compileRule(given)
  return (value) => pattern.test(value)
}
