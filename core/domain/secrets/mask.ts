/** How a secret is shown, and how a mask that comes back is known. */

/** What stands for a secret where nothing of it may be shown. */
export const hidden = '****'

/** First three and last four characters; short secrets show nothing. */
export function mask(secret: string): string {
  return secret.length < 12 ? hidden : `${secret.slice(0, 3)}${hidden}${secret.slice(-4)}`
}

/** Whether a value is a mask that a caller sent back. */
export const isMasked = (value: unknown): boolean => typeof value === 'string' && value.includes(hidden)
