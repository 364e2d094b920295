/** Sizes with units: `25mb`, `256 KiB`, `1048576`. One kilobyte is 1024 bytes. */

/** The pattern of a size, for the schema. Zero is not allowed. */
export const sizePattern =
  '^(?!0+(?:\\.0+)?\\s*(?:[KMGkmg]?[Ii]?[Bb])?$)\\d{1,12}(?:\\.\\d{1,6})?\\s*(?:[KMGkmg]?[Ii]?[Bb])?$'

const powers: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3 }

/** A size in bytes, rounded down, at least 1. Expects a text that matches {@link sizePattern}. */
export function parseSize(size: string | number): number {
  if (typeof size === 'number') return size
  const letter = /[a-z]/i.exec(size)?.[0]?.toLowerCase() ?? 'b'
  return Math.max(1, Math.floor(Number.parseFloat(size) * 1024 ** (powers[letter] ?? 0)))
}
