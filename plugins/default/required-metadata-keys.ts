/** `default.requiredMetadataKeys`: the request's metadata has the given keys. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { choice, type Filled } from './shared/parameters.ts'

const parameters = Type.Object(
  {
    metadataKeys: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description: 'The keys, case-sensitive. A key with an empty value counts as missing.',
    }),
    operator: Type.Optional(choice(['all', 'any', 'none'], 'How many of the keys must be present.')),
  },
  { additionalProperties: false },
)

export const requiredMetadataKeys: Check<Filled<typeof parameters>> = {
  id: 'requiredMetadataKeys',
  title: 'Required metadata keys',
  description: 'Passes when all, any or none of the keys are present in the request metadata.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ metadataKeys, operator }) {
    return {
      run({ metadata }) {
        const isThere = (key: string) => Object.hasOwn(metadata, key) && metadata[key] !== ''
        const found = metadataKeys.filter(isThere)
        const missing = metadataKeys.filter((key) => !isThere(key))
        const verdicts = { all: missing.length === 0, any: found.length > 0, none: found.length === 0 }
        return { verdict: verdicts[operator], data: { found, missing } }
      },
    }
  },
}
