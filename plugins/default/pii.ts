/** `default.pii`: personal data of a recognisable form must not occur, or is redacted. */
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

/** An e-mail address; all other kinds are shorter, including the preceding word that names them. */
const longestPiece = 320

export const pii: Check<Filled<typeof parameters>> = {
  id: 'pii',
  title: 'Personal data',
  description:
    'Passes when no personal data of the chosen categories occurs in the texts. It recognises data with a fixed form, and ' +
    'verifies check digits if there are any; names and postal addresses are not recognised. No data leaves the gateway. ' +
    'With redact the data is replaced by placeholders, and the check passes.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare: ({ categories, ...rest }) =>
    prepareDetection(createPiiDetector(expandPii(categories)), longestPiece, rest),
}
