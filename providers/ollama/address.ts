/**
 * The URLs of Ollama's two formats: the compatible one below `/v1`, the native one below `/api`. `custom_host` ends
 * with `/v1`; if it does not, `/v1` is added.
 */
import type { HttpEndpoint } from '@gateway/contract'

/** A path of the compatible format below the base URL, with or without `/v1`. */
export function compatiblePath(path: string): HttpEndpoint['path'] {
  return function pathBelowVersion(_body, { custom_host: host = '' }) {
    return /\/v1\/*$/.test(host) ? path : `/v1${path}`
  }
}

/** The URL of a native path: next to `/v1`, not below it. */
export function nativeUrl(url: string): string {
  return url.replace(/\/v1(?=\/api\/[a-z]+$)/, '')
}
