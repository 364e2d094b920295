/**
 * How Keyv's entries are written: the end of their life, a line break, and the value as it is.
 * Values are texts already; wrapping them in JSON once more would cost more than the lookup.
 */

interface Entry<Value> {
  value?: Value | undefined
  expires?: number | null | undefined
}

export const serializeEntry = <Value>({ value, expires }: Entry<Value>): string =>
  `${expires ?? ''}\n${String(value)}`

/** Undefined for what was not written by {@link serializeEntry}. */
export function deserializeEntry<Value>(
  written: string,
): { value: Value; expires: number | undefined } | undefined {
  const end = written.indexOf('\n')
  if (end === -1) return undefined
  const expires = Number(written.slice(0, end))
  // Only texts are stored under these keys.
  return { value: written.slice(end + 1) as Value, expires: expires === 0 ? undefined : expires }
}
