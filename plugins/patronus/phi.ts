/** `patronus.phi`: protected health information. See redaction.ts. */
import { createRedaction } from './redaction.ts'

export const phi = createRedaction('phi', {
  title: 'Protected health information',
  what: 'anything about the health or the treatment of a person',
})
