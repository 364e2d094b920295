/** Recognises an API key, such as a leaked one, or its mask in a search text. */

/** One word of key characters that is longer than a name. An id is not a key. */
const keyPattern = /^[\w.-]{24,200}$/
const idPattern = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i
const maskPattern = /^(.{3})(?:\*+|…|\.{3})(.{4})$/

export interface KeyFilters {
  key_sha256: string | null
  masked_key: string | null
}

/** Masks a key as answers show it, so neither the URL nor the log contains the key itself. */
const maskOf = (text: string): string => `${text.slice(0, 3)}****${text.slice(-4)}`

/** Null outside a secure context, which has no SHA-256. The mask also finds the key there. */
async function hashOf(text: string): Promise<string | null> {
  const { subtle } = globalThis.crypto
  if (subtle === undefined) return null
  const bytes = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The filters for a text that is a key or a mask; null for other texts, such as a name. */
export async function keyFiltersOf(text: string): Promise<KeyFilters | null> {
  const mask = maskPattern.exec(text)
  if (mask !== null) return { key_sha256: null, masked_key: `${mask[1]}****${mask[2]}` }
  if (!keyPattern.test(text) || idPattern.test(text) || !/[A-Z\d]/.test(text)) return null
  return { key_sha256: await hashOf(text), masked_key: maskOf(text) }
}
