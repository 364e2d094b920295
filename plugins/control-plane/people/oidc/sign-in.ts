/**
 * Sign-in at the organisation's identity provider (management contract, section 8): authorisation code with PKCE, state
 * and nonce. https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 * Errors: 401 `invalid_api_key`, 403 `forbidden`, 404 `not_found`, 503 `dependency_unavailable`.
 */
import {
  isGatewayError,
  isObject,
  type JsonObject,
  type ServiceAnswer,
  type StoredDocument,
} from '@gateway/contract'
import { auditWrite, kinds, type OrganisationData, slugKey } from '@gateway/domain'
import type { Configuration } from 'openid-client'
import { type Call, invalidQuery, isId, notFound } from '../../engine/index.ts'
import { openSession, signInWrite } from '../sign-in.ts'
import { failureCounterOf } from '../sign-in-rate.ts'
import { personOf, roleOf } from './claims.ts'
import { type Flow, flowCookie, flowCookieOf, openFlow, takeFlow } from './flow.ts'
import { gatewayErrorIn, loadClient, providerOf } from './provider.ts'
import { provision } from './provision.ts'
import { orSignInPage, refusal, SignInRefusal } from './refusals.ts'
import { returnPath } from './return-to.ts'
import { type OidcSettings, oidcSettings } from './settings.ts'
import { verifyToken } from './verify-token.ts'

type Organisation = StoredDocument<OrganisationData>

const callbackPath = '/v1/auth/callback'
const redirectUri = ({ context }: Call<'publicUrl'>) => `${context.publicUrl()}${callbackPath}`

const found = (location: string, cookie: string | undefined): ServiceAnswer => ({
  status: 302,
  headers: {
    location,
    'cache-control': 'no-store',
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
  },
  body: { text: '' },
})

/** The organisation in the query. If the query has none, the only organisation with single sign-on. */
async function organisationOf(call: Call): Promise<Organisation> {
  const written = call.query.organisation
  if (typeof written === 'string' && written !== '') {
    const named = isId(written)
      ? await call.documents.get(kinds.organisation, written)
      : await call.documents.findByKey(kinds.organisation, slugKey('organisations', written))
    if (named === null || named.status !== 'active') throw notFound('query/organisation', 'organisation')
    return named
  }
  const [only, ...more] = await withOidc(call)
  if (only === undefined) throw notFound('query/organisation', 'organisation with single sign-on')
  if (more.length > 0)
    throw invalidQuery('organisation', 'is required: several organisations have single sign-on')
  return only
}

const maxOrganisations = 1000

/** Organisations with single sign-on. */
export async function withOidc(call: Call): Promise<Organisation[]> {
  const { documents } = await call.documents.list(
    kinds.organisation,
    { statuses: ['active'] },
    { sort: 'name', order: 'asc', offset: 0, limit: maxOrganisations },
  )
  return documents.filter(({ data }) => isObject(data.auth_settings.oidc))
}

/** Sends the browser to the identity provider. */
export async function begin(
  call: Call<'fetch' | 'isBehindTls' | 'publicUrl' | 'routes' | 'shared'>,
): Promise<ServiceAnswer> {
  const returnTo = returnPath(call.query.return_to === undefined ? undefined : String(call.query.return_to))
  return orSignInPage(
    call,
    () => sendAway(call, returnTo),
    () => returnTo,
  )
}

async function sendAway(
  call: Call<'fetch' | 'isBehindTls' | 'publicUrl' | 'shared'>,
  returnTo: string,
): Promise<ServiceAnswer> {
  const organisation = await organisationOf(call)
  const settings = oidcSettings(call.context, organisation)
  if (settings === null) throw notFound('query/organisation', 'organisation with single sign-on')
  const [client, provider] = await Promise.all([loadClient(), providerOf(call.context, settings)])
  const flow = {
    organisationId: organisation.id,
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    returnTo,
  }
  const address = client.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri(call),
    scope: settings.scopes,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: 'S256',
  })
  return found(address.href, flowCookieOf(call.context, flow))
}

/** Handles the browser's return from the identity provider and opens a session. */
export function complete(
  call: Call<
    'fetch' | 'isAddressAllowed' | 'isBehindTls' | 'keyPrefix' | 'keySets' | 'publicUrl' | 'routes' | 'shared'
  >,
): Promise<ServiceAnswer> {
  const flow = openFlow(call.context, call.request.cookies.get(flowCookie))
  return orSignInPage(
    call,
    async () => {
      // Anyone can open this address. Only the browser that began a sign-in makes an attempt.
      if (flow === null) throw refusal('expired')
      const tries = { address: call.request.clientIp, account: `oidc ${flow.id}` }
      return failureCounterOf(call.context).run(tries, () => completeAudited(call, flow))
    },
    () => flow?.returnTo ?? null,
  )
}

/** Records a refused sign-in in the audit log. */
async function completeAudited(
  call: Call<'fetch' | 'isAddressAllowed' | 'isBehindTls' | 'keyPrefix' | 'keySets' | 'publicUrl' | 'shared'>,
  flow: Flow,
): Promise<ServiceAnswer> {
  try {
    return await completeOnce(call, flow)
  } catch (error) {
    if (error instanceof SignInRefusal && error.code === 'forbidden') await recordRefusal(call, flow, error)
    throw error
  }
}

async function recordRefusal(call: Call, flow: Flow, { reason, status }: SignInRefusal): Promise<void> {
  const { method, path, traceId, clientIp } = call.request
  // The query contains the code of the sign-in.
  const request = { method, path, traceId, clientIp, query: {} }
  const { organisationId } = flow
  const record = auditWrite(
    { request, identity: null, organisationId, nowMs: call.nowMs, status, sent: null },
    { action: 'login', resource_type: 'session', resource_id: null, details: { method: 'oidc', reason } },
  )
  await call.documents.commit([record])
}

async function completeOnce(
  call: Call<'fetch' | 'isAddressAllowed' | 'isBehindTls' | 'keyPrefix' | 'keySets' | 'publicUrl' | 'shared'>,
  flow: Flow,
): Promise<ServiceAnswer> {
  const { context, documents, request } = call
  if (request.query.state !== flow.state || !(await takeFlow(context, flow))) throw refusal('expired')
  const organisation = await documents.get(kinds.organisation, flow.organisationId)
  const settings = organisation === null ? null : oidcSettings(context, organisation)
  if (organisation === null || settings === null) throw refusal('switched_off')
  const provider = await providerOf(context, settings)
  const claims = await claimsOf(call, flow, { settings, provider })
  const person = personOf(claims, settings.trustsEmail)
  const role = roleOf(claims, settings.roleClaim)
  const { issuer } = provider.serverMetadata()
  const identityProvider = {
    issuer,
    subject: person.subject,
    session: person.session,
  }
  const open = async (): Promise<ServiceAnswer> => {
    const { userId, writes, isNew } = await provision(call, { organisation, person, issuer, role })
    const signedIn = { organisationId: organisation.id, userId, apiKeyId: null, identityProvider }
    const also = [...writes, signInWrite(organisation.id, userId, call.nowMs)]
    return openSession(call, signedIn, { also, note: { details: { method: 'oidc', is_new_user: isNew } } })
  }
  const answer = await open().catch((error: unknown) => {
    // A concurrent sign-in of the same user has created the documents first.
    const isOvertaken =
      isGatewayError(error) && (error.code === 'conflict' || error.code === 'precondition_failed')
    if (!isOvertaken) throw error
    return open()
  })
  return found(flow.returnTo, answer.headers?.['set-cookie'])
}

/** The claims of the ID token, or those of the userinfo endpoint if the token has no e-mail address. */
async function claimsOf(
  call: Call<'keySets' | 'publicUrl'>,
  flow: Flow,
  { settings, provider }: { settings: OidcSettings; provider: Configuration },
): Promise<JsonObject> {
  const client = await loadClient()
  const current = new URL(redirectUri(call))
  for (const [name, value] of Object.entries(call.request.query)) current.searchParams.set(name, value)
  try {
    const tokens = await client.authorizationCodeGrant(provider, current, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    })
    const { issuer, jwks_uri: jwksUri = '', userinfo_endpoint: userinfo } = provider.serverMetadata()
    const signed = { token: tokens.id_token ?? '', jwksUri, issuer, audience: settings.clientId }
    const claims = await verifyToken(call.context, signed)
    if (typeof claims.email === 'string' || userinfo === undefined) return claims
    const more = await client.fetchUserInfo(provider, tokens.access_token, String(claims.sub))
    return { ...(JSON.parse(JSON.stringify(more)) as JsonObject), ...claims }
  } catch (error) {
    const isDenied = call.request.query.error === 'access_denied'
    throw (
      gatewayErrorIn(error) ??
      refusal(isDenied ? 'access_denied' : 'provider_refused', reasonOf(error), error)
    )
  }
}

const maxReasonChars = 300

/** The reason that the provider or the library gives. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const told = error as Error & { error?: unknown; error_description?: unknown }
  const reason = [told.error, told.error_description].filter((one) => typeof one === 'string').join(': ')
  return (reason || error.message).slice(0, maxReasonChars)
}
