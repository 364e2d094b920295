/**
 * The format of Keyv's entries: the expiry, a line break, and the unchanged value. Values are strings already; encoding
 * them in JSON again would cost more than the lookup.
 */

interface Entry<Value> {
  value?: Value | undefined
  expires?: number | null | undefined
}

export const serializeEntry = <Value>({ value, expires }: Entry<Value>): string =>
  `${expires ?? ''}\n${String(value)}`

/** Undefined for text that {@link serializeEntry} did not write. */
export function deserializeEntry<Value>(
  written: string,
): { value: Value; expires: number | undefined } | undefined {
  const end = written.indexOf('\n')
  if (end === -1) return undefined
  const expires = Number(written.slice(0, end))
  // Only texts are stored under these keys.
  return { value: written.slice(end + 1) as Value, expires: expires === 0 ? undefined : expires }
}
