/** Identifies the caller to the upstream: as claims in a header, as a signed JWT, or by the person's own token. */
import { GatewayError, type Identity, isObject, type JsonObject } from '@gateway/contract'
import type { Integration } from '../directory.ts'
import type { McpRuntime } from '../runtime.ts'

export interface Caller {
  identity: Identity
  /** The JWT that the client sent, in `authorization` or the header that the integration names; null: none. */
  token: string | null
}

const defaultNames = {
  claims_header: 'x-user-claims',
  jwt_header: 'x-user-jwt',
  bearer: 'authorization',
} as const
const defaultSeconds = 300

export interface IdentityHeaders {
  /** The same for each call of a person. */
  headers: Readonly<Record<string, string>>
  /** Made for each call: a signed token. */
  callHeaders: Readonly<Record<string, string>>
  /** Names that a header of the caller's never passes under. */
  names: readonly string[]
}

export const noIdentity: IdentityHeaders = { headers: {}, callHeaders: {}, names: [] }

/** Errors: `invalid_header` when the caller's credential is none that may travel. */
export async function identityHeaders(
  { context, signer }: Pick<McpRuntime, 'context' | 'signer'>,
  integration: Integration,
  { identity, token }: Caller,
): Promise<IdentityHeaders> {
  const { user_identity_forwarding: rules } = integration.data.configurations
  if (!isObject(rules)) return noIdentity
  const method = rules.method as keyof typeof defaultNames
  const name = (
    typeof rules.header_name === 'string' ? rules.header_name : defaultNames[method]
  ).toLowerCase()
  if (method === 'bearer') {
    if (token === null) {
      const message =
        'This MCP server takes the token of the person who calls: send a JWT, not a key of the gateway.'
      throw new GatewayError('invalid_header', message, { param: 'header/authorization' })
    }
    return { ...noIdentity, headers: { [name]: `Bearer ${token}` }, names: [name] }
  }
  // A header of that name that the caller sent never passes.
  if (identity.userId === null) return { ...noIdentity, names: [name] }
  const claims = chosen(await claimsOf(context, identity), rules.include_claims)
  if (method === 'claims_header')
    return { ...noIdentity, headers: { [name]: asciiJson(claims) }, names: [name] }
  const seconds = typeof rules.jwt_expiry_seconds === 'number' ? rules.jwt_expiry_seconds : defaultSeconds
  const issuedAt = Math.floor(context.now() / 1000)
  const jwt = await signer.sign({
    ...claims,
    iss: context.publicUrl(),
    aud: integration.data.url,
    iat: issuedAt,
    exp: issuedAt + seconds,
  })
  return { ...noIdentity, callHeaders: { [name]: jwt }, names: [name] }
}

/** A header holds bytes: names of persons in other scripts are escaped. */
const asciiJson = (value: JsonObject): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

async function claimsOf(context: McpRuntime['context'], identity: Identity): Promise<JsonObject> {
  const user = await context.ports.documents.get('user', identity.userId ?? '')
  const { first_name, last_name, email } = user?.data ?? {}
  const name = [first_name, last_name].filter((part) => typeof part === 'string' && part !== '').join(' ')
  return {
    sub: identity.userId,
    email: typeof email === 'string' ? email : null,
    name: name === '' ? null : name,
    organisation_id: identity.organisationId,
    workspace_id: identity.workspaceId,
    role: identity.role,
  }
}

function chosen(claims: JsonObject, names: unknown): JsonObject {
  if (!Array.isArray(names)) return claims
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.includes(name)))
}
