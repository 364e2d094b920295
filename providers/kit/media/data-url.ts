/** `data:` URLs (RFC 2397), base64 only. The type `image/jpg` is corrected to the registered name. */

export interface DataUrl {
  /** Lower case, without parameters. */
  mediaType: string
  base64: string
}

const prefix = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i

/** Reads a base64 `data:` URL; null when it is not one. */
export function parseDataUrl(url: string): DataUrl | null {
  const match = prefix.exec(url)
  if (match === null) return null
  const named = (match[1] ?? '').toLowerCase()
  const mediaType = named === 'image/jpg' ? 'image/jpeg' : named
  return { mediaType: mediaType === '' ? 'text/plain' : mediaType, base64: url.slice(match[0].length) }
}
