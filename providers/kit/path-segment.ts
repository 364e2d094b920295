/**
 * Names that a caller writes (a model, a deployment) as part of a path: they cannot leave their place in it.
 * Errors: `invalid_body` for a name that is empty or would climb up the path.
 */
import { GatewayError } from '@gateway/contract'

/** One name as one segment; its slashes are escaped. */
export function pathSegment(name: unknown, param: string, provider: string): string {
  return encodeURIComponent(checked(name, param, provider))
}

/** A name of several segments, such as `@cf/meta/llama-3.1-8b-instruct`; its slashes stay. */
export function pathSegments(name: unknown, param: string, provider: string): string {
  const segments = checked(name, param, provider).split('/')
  return segments
    .map((segment) => encodeURIComponent(checked(segment, param, provider)).replaceAll('%40', '@'))
    .join('/')
}

/** Half of a character outside the basic plane, which has no encoding. */
export const halfOfPair = /\p{Surrogate}/u

/** A step of a path; an upstream that reads escaped slashes as slashes must not find one either. */
const climbs = /(?:^|\/)\.{1,2}(?:\/|$)/

function checked(name: unknown, param: string, provider: string): string {
  if (typeof name === 'string' && name !== '' && !climbs.test(name) && !halfOfPair.test(name)) return name
  throw new GatewayError(
    'invalid_body',
    `${param}: this name cannot be part of a path (provider ${provider})`,
    {
      param,
    },
  )
}
