/**
 * Where Ollama's two formats are: the compatible one below `/v1`, the native one below `/api`. `custom_host` is written
 * with `/v1`; without it, it is added where it belongs.
 */
import type { HttpEndpoint } from '@gateway/contract'

/** A path of the compatible format below the address, however that is written. */
export function compatiblePath(path: string): HttpEndpoint['path'] {
  return function pathBelowVersion(_body, { custom_host: host = '' }) {
    return /\/v1\/*$/.test(host) ? path : `/v1${path}`
  }
}

/** The URL of a native path: beside `/v1`, not below it. */
export function nativeUrl(url: string): string {
  return url.replace(/\/v1(?=\/api\/[a-z]+$)/, '')
}
