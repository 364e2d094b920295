/** Deterministic document ids: the same text yields the same id in every process. */
import { createHash } from 'node:crypto'

/** A UUID of version 8: https://www.rfc-editor.org/rfc/rfc9562#section-5.8 */
export function derivedId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

const sharedChars = 18

/**
 * An id that starts like the parent's, if that is a UUID, and ends like `own`. The children of a parent are then
 * adjacent in indexes, so a thousand of them touch few pages.
 */
export const childId = (parentId: string, own: string): string =>
  /^[0-9a-f-]{36}$/.test(parentId) ? parentId.slice(0, sharedChars) + own.slice(sharedChars) : own

/** The id of one group of a usage-limit policy, the same in every period. */
export const usageGroupId = (policyId: string, valueKey: string): string =>
  derivedId(`${policyId}/${valueKey}`)
