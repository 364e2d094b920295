/**
 * `configurations` of an MCP integration (management contract, section 20), and the rules that a schema cannot express.
 */
import { configuredHeaderFault, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Write } from '@gateway/control-plane/engine'
import {
  customHeadersSchema,
  forwardHeadersSchema,
  headerName,
  timeoutSchema,
} from '@gateway/control-plane/remote-servers'
import type { RemoteIntegrationData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'

const closed = { additionalProperties: false }
const url = Type.String({ minLength: 1, maxLength: 2048 })
const text = Type.String({ minLength: 1, maxLength: 2048 })
const scalar = { type: ['string', 'number', 'boolean'] }
const claimValue = Type.Unsafe<Json>({
  anyOf: [scalar, { type: 'array', items: scalar, minItems: 1, maxItems: 100 }],
  explain: 'must be a string, a number, true, false, or a list of these',
})

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

export const mcpConfigurations = Type.Object(
  {
    custom_headers: Type.Optional(customHeadersSchema),
    forward_headers: Type.Optional(forwardHeadersSchema),
    oauth_metadata: Type.Optional(
      Type.Object(
        {
          client_id: Type.Optional(text),
          client_secret: Type.Optional(text),
          scope: Type.Optional(Type.String({ maxLength: 2048 })),
          client_name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
          issuer: Type.Optional(url),
          authorization_endpoint: Type.Optional(url),
          token_endpoint: Type.Optional(url),
          registration_endpoint: Type.Optional(url),
          revocation_endpoint: Type.Optional(url),
          token_endpoint_auth_method: Type.Optional(
            Type.Unsafe({ type: 'string', enum: ['client_secret_basic', 'client_secret_post', 'none'] }),
          ),
        },
        closed,
      ),
    ),
    user_identity_forwarding: Type.Optional(
      Type.Object(
        {
          method: Type.Unsafe({ type: 'string', enum: ['claims_header', 'bearer', 'jwt_header'] }),
          include_claims: Type.Optional(
            Type.Array(
              Type.Unsafe({
                type: 'string',
                enum: ['sub', 'email', 'name', 'organisation_id', 'workspace_id', 'role'],
              }),
              { maxItems: 6 },
            ),
          ),
          header_name: Type.Optional(headerName),
          jwt_expiry_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400, default: 300 })),
        },
        closed,
      ),
    ),
    jwt_validation: Type.Optional(
      Type.Object(
        {
          jwksUri: Type.Optional(url),
          jwks: Type.Optional(
            Type.Object({ keys: Type.Array(Type.Object({}, { additionalProperties: true })) }),
          ),
          introspectEndpoint: Type.Optional(url),
          headerKey: Type.Optional(headerName),
          algorithms: Type.Optional(
            Type.Array(Type.Unsafe({ type: 'string', enum: algorithms }), { minItems: 1, maxItems: 10 }),
          ),
          requiredClaims: Type.Optional(Type.Array(text, { maxItems: 50 })),
          claimValues: Type.Optional(
            Type.Record(Type.String(), claimValue, {
              maxProperties: 50,
              description:
                'By claim, the value that it must have, or a list of which it must have one. A claim that is a list must ' +
                'contain one. Text, numbers and booleans are compared with their type.',
            }),
          ),
        },
        closed,
      ),
    ),
    timeout_ms: Type.Optional(timeoutSchema),
  },
  closed,
)

const keySources = ['jwksUri', 'jwks', 'introspectEndpoint']
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

export function checkConfigurations(
  { draft, fault }: Write<RemoteIntegrationData>,
  merged: JsonObject,
  mapped: ReadonlySet<string>,
): void {
  const { jwt_validation: validation, oauth_metadata: oauth, user_identity_forwarding: forwarding } = merged
  if (isObject(forwarding) && typeof forwarding.header_name === 'string') {
    const reason = configuredHeaderFault(forwarding.header_name, '')
    if (reason !== null) fault('/configurations/user_identity_forwarding/header_name', reason)
  }
  if (isObject(validation)) {
    const given = keySources.filter((name) => validation[name] !== undefined)
    if (given.length !== 1)
      fault('/configurations/jwt_validation', `must have exactly one of ${keySources.join(', ')}`)
    const keys = isObject(validation.jwks) && Array.isArray(validation.jwks.keys) ? validation.jwks.keys : []
    for (const [index, key] of keys.entries()) {
      const at = `/configurations/jwt_validation/jwks/keys/${index}`
      const secret = isObject(key) ? privateMembers.find((name) => key[name] !== undefined) : undefined
      if (secret !== undefined)
        fault(`${at}/${secret}`, 'must be omitted: it is a private member. Send the public key')
    }
  }
  if (draft.data.auth_type !== 'oauth_client_credentials' || mapped.has('configurations.oauth_metadata'))
    return
  const known = isObject(oauth) ? oauth : {}
  for (const name of ['client_id', 'client_secret'])
    if (typeof known[name] !== 'string') fault(`/configurations/oauth_metadata/${name}`, 'is required')
}
