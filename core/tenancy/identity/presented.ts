/**
 * The credential that a request presents (management contract, section 1): the first of the gateway's own header, a
 * bearer token, `x-api-key`, and the session's cookie; told apart by how it begins.
 */
import type { Presented, PresentedKind } from '../../flow/caller.ts'
import { gatewayKeyOf } from '../../headers/gateway-key.ts'
import type { OwnHeaders } from '../../headers/request-headers.ts'
import { isJwt } from './jwt-token.ts'
import { sessionPrefix } from './sessions.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

const cookieName = 'gateway_session'

/** The first credential that is there. */
export function presentedOf(headers: Headers, own: OwnHeaders): Presented | null {
  const text = gatewayKeyOf(headers, own)
  if (text !== null) return { kind: kindOf(text), text, isCookie: false }
  const token = headers.cookie === undefined ? null : cookieOf(String(headers.cookie))
  return token === null ? null : { kind: 'session', text: token, isCookie: true }
}

function kindOf(text: string): PresentedKind {
  if (text.startsWith('gw')) {
    if (text.startsWith(sessionPrefix)) return 'session'
    if (text.startsWith('gwscim_')) return 'scim'
    if (text.startsWith('gwo_')) return 'oauth'
  }
  return isJwt(text) ? 'jwt' : 'key'
}

function cookieOf(header: string): string | null {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === cookieName) return pair.slice(at + 1).trim() || null
  }
  return null
}
