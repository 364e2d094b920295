/** Masks of secrets, and recognising a mask that a caller sends back. */

/** The mask that reveals no characters of a secret. */
export const hidden = '****'

/** Shows the first three and last four characters of a secret, and no characters of a short one. */
export function mask(secret: string): string {
  return secret.length < 12 ? hidden : `${secret.slice(0, 3)}${hidden}${secret.slice(-4)}`
}

/** Whether a value is a mask that a caller sent back. */
export const isMasked = (value: unknown): boolean => typeof value === 'string' && value.includes(hidden)
