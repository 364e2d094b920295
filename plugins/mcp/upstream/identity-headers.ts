/** Identifies the caller to the upstream: with claims in a header, a signed JWT, or the user's own token. */
import { GatewayError, type Identity, isObject, type JsonObject } from '@gateway/contract'
import type { Integration } from '../directory.ts'
import type { McpRuntime } from '../runtime.ts'

export interface Caller {
  identity: Identity
  /** The JWT that the client sent, in `authorization` or in the header that the integration names. Null: none. */
  token: string | null
}

const defaultNames = {
  claims_header: 'x-user-claims',
  jwt_header: 'x-user-jwt',
  bearer: 'authorization',
} as const
const defaultSeconds = 300

export interface IdentityHeaders {
  /** Headers that are the same for each call of a user. */
  headers: Readonly<Record<string, string>>
  /** Headers that are created for each call: a signed token. */
  callHeaders: Readonly<Record<string, string>>
  /** Header names that a caller's own headers must not use. */
  names: readonly string[]
}

export const noIdentity: IdentityHeaders = { headers: {}, callHeaders: {}, names: [] }

/** Errors: `invalid_header` if the caller's credential must not be forwarded. */
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
        "This MCP server requires the calling user's token. Send a JWT, not an API key of the gateway."
      throw new GatewayError('invalid_header', message, { param: 'header/authorization' })
    }
    return { ...noIdentity, headers: { [name]: `Bearer ${token}` }, names: [name] }
  }
  // A header with this name from the caller is never forwarded.
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

/** Header values are bytes, so names in other scripts are escaped. */
const asciiJson = (value: JsonObject): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

async function claimsOf(context: McpRuntime['context'], identity: Identity): Promise<JsonObject> {
  const user = await context.documents.get('user', identity.userId ?? '')
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
