/**
 * Schemas of the authorization server's answers, for the OpenAPI document. RFC 6749, 7009, 7517, 7591, 7662, 8414, 9728;
 * each allows further members.
 */
import { type TProperties, Type } from '@sinclair/typebox'

const open = (title: string, properties: TProperties) =>
  Type.Object(properties, { title, additionalProperties: true })

const text = Type.String()
const texts = Type.Array(text)
const optional = Type.Optional

export const protectedResource = open('OauthProtectedResource', {
  resource: text,
  authorization_servers: texts,
  scopes_supported: texts,
  bearer_methods_supported: texts,
})

export const authorizationServer = open('OauthAuthorizationServer', {
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  registration_endpoint: text,
  jwks_uri: text,
  scopes_supported: texts,
  response_types_supported: texts,
})

export const keySet = open('JsonWebKeySet', { keys: Type.Array(open('JsonWebKey', { kty: text })) })

export const tokenAnswer = open('OauthToken', {
  access_token: text,
  token_type: text,
  expires_in: optional(Type.Integer()),
  refresh_token: optional(text),
  scope: optional(text),
})

export const introspection = open('OauthIntrospection', {
  active: Type.Boolean(),
  scope: optional(text),
  client_id: optional(text),
  exp: optional(Type.Integer()),
})

export const emptyAnswer = open('OauthRevocation', {})

export const clientAnswer = open('OauthClient', {
  client_id: text,
  client_secret: optional(text),
  redirect_uris: texts,
  client_name: optional(text),
})
