/** `default.secrets`: keys, tokens and passwords must not occur, or are redacted. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { categoriesParameter, detectionParameters, prepareDetection } from './detect/detection-check.ts'
import { secretCategories } from './detect/secrets/categories.ts'
import { createSecretDetector } from './detect/secrets/find-secrets.ts'
import type { Filled } from './shared/parameters.ts'

const parameters = Type.Object(
  { categories: categoriesParameter(secretCategories), ...detectionParameters },
  { additionalProperties: false },
)

/** A name, what stands between it and the value, and as much of a value as says what it is. */
const longestSecret = 512

export const secrets: Check<Filled<typeof parameters>> = {
  id: 'secrets',
  title: 'Secrets',
  description:
    'Passes when no key, token or password of the chosen categories stands in the texts: known by the prefix and the ' +
    'length that their issuers use, by their form, or as random-looking values that are assigned to a name that says ' +
    'so. Nothing leaves the gateway. With redact they become placeholders, and the check passes.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ categories, ...rest }) {
    const wanted = categories.length === 0 ? secretCategories.map(({ id }) => id as string) : categories
    return prepareDetection(createSecretDetector(new Set(wanted)), longestSecret, rest)
  },
}
