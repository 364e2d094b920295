/** `patronus.pii`: personal data. See redaction.ts. */
import { createRedaction } from './redaction.ts'

export const pii = createRedaction('pii', {
  title: 'Personal data',
  what: 'anything that identifies a person',
})
