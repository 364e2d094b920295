/** The value of a cookie in a `cookie` header; null if it is missing or empty. */
export function cookieOf(header: string, name: string): string | null {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || null
  }
  return null
}
