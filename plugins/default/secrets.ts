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

/** A name, the separator, and enough of a value to recognise it. */
const longestSecret = 512

export const secrets: Check<Filled<typeof parameters>> = {
  id: 'secrets',
  title: 'Secrets',
  description:
    'Passes when no key, token or password of the chosen categories occurs in the texts: recognised by the prefix and ' +
    'length that their issuers use, by their form, or as random-looking values assigned to a name such as ' +
    'password. No data leaves the gateway. With redact they are replaced by placeholders, and the check passes.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ categories, ...rest }) {
    const wanted = categories.length === 0 ? secretCategories.map(({ id }) => id as string) : categories
    return prepareDetection(createSecretDetector(new Set(wanted)), longestSecret, rest)
  },
}
