/**
 * Names from a caller (a model, a deployment) as part of a path, which they cannot leave.
 * Errors: `invalid_body` for a name that is empty or contains path traversal.
 */
import { GatewayError } from '@gateway/contract'

/** A name as one segment, with its slashes escaped. */
export function pathSegment(name: unknown, param: string, provider: string): string {
  return encodeURIComponent(checked(name, param, provider))
}

/** A name of several segments, such as `@cf/meta/llama-3.1-8b-instruct`, with its slashes kept. */
export function pathSegments(name: unknown, param: string, provider: string): string {
  const segments = checked(name, param, provider).split('/')
  return segments
    .map((segment) => encodeURIComponent(checked(segment, param, provider)).replaceAll('%40', '@'))
    .join('/')
}

/** An unpaired surrogate, which cannot be encoded. */
export const halfOfPair = /\p{Surrogate}/u

/** A dot segment; also with escaped slashes, which an upstream could decode. */
const climbs = /(?:^|\/)\.{1,2}(?:\/|$)/

function checked(name: unknown, param: string, provider: string): string {
  if (typeof name === 'string' && name !== '' && !climbs.test(name) && !halfOfPair.test(name)) return name
  throw new GatewayError(
    'invalid_body',
    `${param}: this name cannot be used in a URL path (provider ${provider})`,
    {
      param,
    },
  )
}
