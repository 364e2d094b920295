/**
 * The credential that a request presents (management contract, section 1): the first of the gateway's own header, a
 * bearer token, `x-api-key`, `x-goog-api-key`, and the session's cookie; the prefix determines its kind.
 */
import { GatewayError } from '@gateway/contract'
import { cookieOf } from './cookies.ts'
import { bareKeyOf, bearerOf, type OwnHeaders } from './request-headers.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface Presented {
  kind: PresentedKind
  text: string
  isCookie: boolean
}

type PresentedKind = 'key' | 'jwt' | 'session' | 'scim' | 'oauth'

const sessionPrefix = 'gws_'
/** A JWT: three base64url parts, separated by dots. */
const jwtForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/
const cookieName = 'gateway_session'

/** A request before authentication. */
export interface Claim {
  presented: Presented
  /** Path of the request: some credentials are valid only for some routes. */
  path: string
  /** Id or slug of the workspace in the request. */
  workspace: string | null
  /** The value of `x-gateway-csrf`. */
  csrf: string | null
  /** Whether the request is read-only; a cookie then needs no CSRF token. */
  isSafe: boolean
  /** The client, whose address is read only when there is an allow list. */
  client: { readonly clientIp: string }
}

/** The credential parts of a request. */
interface ClaimSource {
  method: string
  path: string
  search: string
  headers: Headers
  clientIp: string
}

/** Reads a request's credential. Errors: 401 `missing_api_key`. */
export function claimOf(request: ClaimSource, own: OwnHeaders): Claim {
  const presented = presentedOf(request.headers, own)
  if (presented === null) {
    const inURL = request.search !== '' && new URLSearchParams(request.search).has('key')
    throw new GatewayError(
      'missing_api_key',
      inURL
        ? 'Keys in a URL are not accepted, because URLs are logged: send the gateway key in x-goog-api-key.'
        : 'Send a gateway key in x-gateway-api-key, or as a bearer token.',
    )
  }
  const { method, path } = request
  return {
    presented,
    path,
    workspace: own.values.get('workspace-id') ?? queriedWorkspace(request),
    csrf: own.values.get('csrf') ?? null,
    isSafe: method === 'GET' || method === 'HEAD',
    client: request,
  }
}

/** Model lists, dry runs and prompt runs may specify the workspace in the query, like routes of the management API. */
const namesWorkspace = /^(?:\/v1)?\/(?:models(?:\/|$)|dry-run\/?$|prompts\/[^/]+\/(?:completions|render)\/?$)/

function queriedWorkspace({ path, search }: ClaimSource): string | null {
  if (search === '' || !namesWorkspace.test(path)) return null
  return new URLSearchParams(search).get('workspace_id') || null
}

/** The first credential present. */
export function presentedOf(headers: Headers, own: OwnHeaders): Presented | null {
  const text = gatewayKeyOf(headers, own)
  if (text !== null) return { kind: kindOf(text), text, isCookie: false }
  const token = headers.cookie === undefined ? null : cookieOf(String(headers.cookie), cookieName)
  return token === null ? null : { kind: 'session', text: token, isCookie: true }
}

function kindOf(text: string): PresentedKind {
  if (text.startsWith('gw')) {
    if (text.startsWith(sessionPrefix)) return 'session'
    if (text.startsWith('gwscim_')) return 'scim'
    if (text.startsWith('gwo_')) return 'oauth'
  }
  return text.includes('.') && jwtForm.test(text) ? 'jwt' : 'key'
}

/**
 * The first of the gateway's own header, a bearer token and a vendor's key header, of any kind; null if none is
 * present.
 */
export function gatewayKeyOf(headers: Headers, own: OwnHeaders): string | null {
  const given = own.values.get('api-key')
  if (given !== undefined) return given
  const bearer = bearerOf(headers)
  if (bearer !== null) return bearer
  return bareKeyOf(headers)
}
