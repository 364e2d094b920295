/**
 * Discovery: protected resources (RFC 9728), this authorization server (RFC 8414), and its public keys. The answers
 * need no credential, so they do not reveal whether a server exists.
 */
import type { JsonObject, Route, ServiceAnswer } from '@gateway/contract'
import type { McpRuntime } from '../runtime.ts'
import { authorizationServer, keySet, protectedResource } from './answers.ts'

export const mcpScopes = ['mcp', 'mcp:read', 'mcp:write'] as const

const cached = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' }
const answer = (body: JsonObject): ServiceAnswer => ({ status: 200, headers: cached, body })

const resourcePath = '/.well-known/oauth-protected-resource'
const serverPath = '/.well-known/oauth-authorization-server'

/** The metadata URL that tells a client refused at a path how to get a token. */
export const resourceMetadataUrl = (publicUrl: string, path: string): string =>
  `${publicUrl}${resourcePath}${path}`

export function metadataRoutes(runtime: McpRuntime): Route[] {
  const { context } = runtime
  const open = { method: 'GET' as const, tag: 'OAuth', scope: 'public' as const }
  return [
    {
      ...open,
      path: `${resourcePath}/:slug/mcp`,
      aliases: [`${resourcePath}/v1/mcp/:slug`, `${resourcePath}/:workspace/:slug/mcp`],
      operationId: 'oauthProtectedResource',
      summary: 'Returns the authorization server of an MCP server',
      answer: protectedResource,
      handle: async ({ path }) =>
        answer({
          resource: `${context.publicUrl()}${path.slice(resourcePath.length)}`,
          authorization_servers: [context.publicUrl()],
          scopes_supported: [...mcpScopes],
          bearer_methods_supported: ['header'],
        }),
    },
    {
      ...open,
      path: serverPath,
      aliases: [
        `${serverPath}/:slug/mcp`,
        `${serverPath}/v1/mcp/:slug`,
        `${serverPath}/:workspace/:slug/mcp`,
      ],
      operationId: 'oauthAuthorizationServer',
      summary: 'Returns the metadata of the OAuth authorization server',
      answer: authorizationServer,
      handle: async () => answer(serverMetadata(context.publicUrl())),
    },
    {
      ...open,
      path: '/.well-known/jwks.json',
      operationId: 'oauthKeys',
      answer: keySet,
      summary: 'Returns the public keys with which the gateway’s signatures are verified',
      handle: async () => answer({ keys: [await runtime.signer.publicKey()] }),
    },
  ]
}

const serverMetadata = (issuer: string): JsonObject => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: [...mcpScopes],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})
