/**
 * The address of a proxied call: the provider's base URL plus the request's path after `/v1/proxy`, including its
 * query, byte for byte. No encoding of `..` can leave the base URL, however often it is decoded. Errors: 404
 * `not_found`.
 */
import { GatewayError } from '@gateway/contract'

const proxyPrefix = '/v1/proxy/'

/** Maximum layers of encoding. */
const maxLayers = 5

/** A dot segment; some servers treat the text after a semicolon as a parameter of the segment. */
const stepping = /^\.{1,2}(?:;.*)?$/s

/** Refuses a path that could leave a base URL. */
export function checkProxyPath(path: string): void {
  const rest = path.slice(proxyPrefix.length)
  // A fragment is never sent, so no client wrote a path with one.
  if (rest === '' || rest.includes('#') || !isSafe(rest)) throw noSuchPath()
}

/** @param search the query with its question mark; empty without a query */
export function proxyUrl(baseUrl: string, path: string, search: string): string {
  checkProxyPath(path)
  const written = `${baseUrl}/${path.slice(proxyPrefix.length)}${search}`
  const base = new URL(baseUrl)
  const url = URL.canParse(written) ? new URL(written) : null
  const root = rootOf(base)
  if (url === null || url.origin !== base.origin || !url.pathname.startsWith(root)) throw noSuchPath()
  // The URL is checked again in the form that is sent, without blanks and line breaks.
  if (!isSafe(url.pathname.slice(root.length))) throw noSuchPath()
  return url.href
}

const rootOf = ({ pathname }: URL): string => (pathname.endsWith('/') ? pathname : `${pathname}/`)

function isSafe(path: string): boolean {
  let layer = path
  for (let count = 0; count < maxLayers; count += 1) {
    // Some servers treat a backslash as a slash.
    if (layer.split(/[/\\]/).some((segment) => stepping.test(segment))) return false
    const next = decode(layer)
    if (next === null) return false
    if (next === layer) return true
    layer = next
  }
  return false
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const noSuchPath = () => new GatewayError('not_found', 'This path cannot be proxied.', { param: 'path' })
