/**
 * Sign-in and sign-out through an identity provider, and the list of available sign-in methods (management contract,
 * section 8).
 */
import type { JsonObject, Route } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, type ManagementContext, type PlainRoute, plainRoute } from '../../engine/index.ts'
import { backchannelLogout } from './backchannel-logout.ts'
import { flowCookie } from './flow.ts'
import { begin, complete, withOidc } from './sign-in.ts'

const tag = 'Sessions'
const text = Type.Optional(Type.String({ maxLength: 2048 }))

/** The methods for a page that offers them. */
async function methods(call: Call<'publicUrl'>): Promise<JsonObject> {
  const { documents } = await call.documents.list(
    kinds.organisation,
    { statuses: ['active'] },
    { offset: 0, limit: 1000 },
  )
  const oidc = await withOidc(call)
  return {
    password: documents.some(({ data }) => data.auth_settings.password_login !== false),
    oidc: oidc.map(({ id, name, slug }) => ({
      name: name ?? slug ?? id,
      url: `${call.context.publicUrl()}/v1/auth/oidc?organisation=${encodeURIComponent(slug ?? id)}`,
    })),
    api_key: true,
  }
}

type Need =
  | 'fetch'
  | 'isAddressAllowed'
  | 'isBehindTls'
  | 'keyPrefix'
  | 'keySets'
  | 'publicUrl'
  | 'routes'
  | 'shared'

const redirect = { 302: Type.Null() }

const routes: readonly PlainRoute<Need>[] = [
  {
    method: 'GET',
    path: '/v1/auth/methods',
    operationId: 'authMethods',
    summary: 'Lists the ways to sign in',
    tag,
    scope: 'public',
    answer: Type.Object({
      password: Type.Boolean(),
      oidc: Type.Array(Type.Object({ name: Type.String(), url: Type.String() })),
      api_key: Type.Literal(true),
    }),
    audit: { action: 'read', resource_type: 'session' },
    handle: methods,
  },
  {
    method: 'GET',
    path: '/v1/auth/oidc',
    operationId: 'authOidc',
    summary: 'Redirects a browser to the identity provider of an organisation',
    tag,
    scope: 'public',
    query: Type.Object({ organisation: text, return_to: text }),
    otherAnswers: redirect,
    audit: { action: 'login', resource_type: 'session' },
    handle: begin,
  },
  {
    method: 'GET',
    path: '/v1/auth/callback',
    operationId: 'authCallback',
    summary: 'Receives a browser from the identity provider and opens a session',
    tag,
    scope: 'public',
    cookies: [flowCookie],
    otherAnswers: redirect,
    audit: { action: 'login', resource_type: 'session' },
    handle: complete,
  },
  {
    method: 'POST',
    path: '/v1/auth/backchannel-logout',
    operationId: 'authBackchannelLogout',
    summary: 'Ends the sessions of a user who signed out at the identity provider',
    tag,
    scope: 'public',
    streamsBody: true,
    media: { body: ['application/x-www-form-urlencoded'] },
    answer: Type.Object({}),
    audit: { action: 'logout', resource_type: 'session' },
    handle: backchannelLogout,
  },
]

export const oidcRoutes = (context: ManagementContext<Need>): Route[] =>
  routes.map((route) => plainRoute(context, route))
