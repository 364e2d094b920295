/** `default.pii`: personal data that has a form must not occur, or is redacted. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { categoriesParameter, detectionParameters, prepareDetection } from './detect/detection-check.ts'
import { expandPii, nationalId, piiCategories } from './detect/pii/categories.ts'
import { createPiiDetector } from './detect/pii/find-pii.ts'
import type { Filled } from './shared/parameters.ts'

const choices = [
  ...piiCategories,
  { id: nationalId, title: 'all numbers of identity documents, taxes and social insurance' },
]

const parameters = Type.Object(
  { categories: categoriesParameter(choices), ...detectionParameters },
  { additionalProperties: false },
)

/** An e-mail address; everything else is shorter, with the word before it that says what it is. */
const longestPiece = 320

export const pii: Check<Filled<typeof parameters>> = {
  id: 'pii',
  title: 'Personal data',
  description:
    'Passes when no personal data of the chosen categories stands in the texts. It knows data that has a form, and ' +
    'verifies check digits where there are any; names and postal addresses have none. Nothing leaves the gateway. ' +
    'With redact it becomes placeholders, and the check passes.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare: ({ categories, ...rest }) =>
    prepareDetection(createPiiDetector(expandPii(categories)), longestPiece, rest),
}
