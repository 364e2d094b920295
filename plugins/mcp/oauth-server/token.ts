/**
 * The token endpoint: exchanges a code for tokens, once within a minute, and a refresh token for new ones, once. A
 * second use of either ends all tokens of the consent. Also introspection and revocation.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import {
  isGatewayError,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
  type StoredDocument,
} from '@gateway/contract'
import type { McpRuntime } from '../runtime.ts'
import { emptyAnswer, introspection, tokenAnswer } from './answers.ts'
import { answering, OauthFault, readForm, uncached } from './form.ts'
import {
  type ClientData,
  type CodeData,
  draftOf,
  endFamily,
  findBySecret,
  findClient,
  type Grant,
  newSecret,
  oauthKinds,
  sha256,
  type TokenData,
  usedWrite,
} from './records.ts'

type Form = ReadonlyMap<string, string>
type Client = StoredDocument<ClientData>

const accessSeconds = 3600
const refreshSeconds = 30 * 86_400

export function tokenRoutes(runtime: McpRuntime): Route[] {
  const shared = {
    method: 'POST' as const,
    tag: 'OAuth',
    scope: 'public' as const,
    streamsBody: true,
    media: { body: ['application/x-www-form-urlencoded'] },
  }
  return [
    {
      ...shared,
      path: '/oauth/token',
      operationId: 'oauthToken',
      answer: tokenAnswer,
      summary: 'Issues tokens for a code or a refresh token',
      handle: (request) => answering(() => token(runtime, request)),
    },
    {
      ...shared,
      path: '/oauth/introspect',
      operationId: 'oauthIntrospect',
      answer: introspection,
      summary:
        'Returns the state and the rights of a token, to its client or to an API key of the organisation',
      handle: (request) => answering(() => introspect(runtime, request)),
    },
    {
      ...shared,
      path: '/oauth/revoke',
      operationId: 'oauthRevoke',
      answer: emptyAnswer,
      summary: 'Revokes a token, and with a refresh token all tokens issued from it',
      handle: (request) => answering(() => revoke(runtime, request)),
    },
  ]
}

const maxFailed = 20
const windowMs = 60_000

/** Failed attempts per address and client are counted across all processes. */
async function token(runtime: McpRuntime, request: ServiceRequest): Promise<ServiceAnswer> {
  const { context } = runtime
  const form = await readForm(request)
  const account = (form.get('client_id') ?? basicOf(request)?.id ?? '').slice(0, 100)
  const key = `oauth-failed:${request.clientIp}:${account}`
  const blocked = runtime.failures.get(key)
  if (blocked !== undefined && blocked > context.now())
    return {
      status: 429,
      headers: { ...uncached, 'retry-after': String(Math.ceil((blocked - context.now()) / 1000)) },
      body: {
        error: 'invalid_request',
        error_description: 'Too many failed attempts. Try again in a minute.',
      },
    }
  try {
    return await exchange(runtime, request, form)
  } catch (error) {
    if (error instanceof OauthFault && (await context.shared.increment(key, windowMs)) >= maxFailed) {
      if (runtime.failures.size > 10_000) runtime.failures.clear()
      runtime.failures.set(key, context.now() + windowMs)
    }
    throw error
  }
}

function exchange(runtime: McpRuntime, request: ServiceRequest, form: Form): Promise<ServiceAnswer> {
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return redeemCode(runtime, request, form)
    case 'refresh_token':
      return refresh(runtime, request, form)
    case undefined:
      throw new OauthFault('invalid_request', '"grant_type" is missing.')
    default:
      throw new OauthFault(
        'unsupported_grant_type',
        'Only authorization_code and refresh_token are supported as "grant_type".',
      )
  }
}

const invalidGrant = () =>
  new OauthFault(
    'invalid_grant',
    'The code or refresh token is unknown, used, expired or was issued to another client.',
  )

async function redeemCode(runtime: McpRuntime, request: ServiceRequest, form: Form): Promise<ServiceAnswer> {
  const client = await authenticateClient(runtime, request, form)
  const { documents } = runtime.context
  const code = await findBySecret<CodeData>(documents, oauthKinds.code, form.get('code') ?? '')
  if (code === null || code.data.client_id !== client.id) throw invalidGrant()
  if (code.data.is_used) {
    await endFamily(documents, code.data.family_id)
    throw invalidGrant()
  }
  const { redirect_uri, code_challenge, expires_at, is_used: _, ...grant } = code.data
  if (expires_at <= runtime.context.now() || form.get('redirect_uri') !== redirect_uri) throw invalidGrant()
  const proof = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  if (!isEqual(proof, code_challenge))
    throw new OauthFault(
      'invalid_grant',
      '"code_verifier" does not match the code_challenge of the authorization request.',
    )
  checkResource(form, grant)
  return issue(runtime, code, grant)
}

async function refresh(runtime: McpRuntime, request: ServiceRequest, form: Form): Promise<ServiceAnswer> {
  const client = await authenticateClient(runtime, request, form)
  const { documents } = runtime.context
  const known = await findBySecret<TokenData>(documents, oauthKinds.token, form.get('refresh_token') ?? '')
  if (known === null || known.data.type !== 'refresh' || known.data.client_id !== client.id)
    throw invalidGrant()
  const { type: _, expires_at, is_used, ...grant } = known.data
  if (is_used) {
    await endFamily(documents, grant.family_id)
    throw invalidGrant()
  }
  if (expires_at <= runtime.context.now()) throw invalidGrant()
  checkResource(form, grant)
  const asked = form.get('scope')?.split(' ') ?? grant.scopes
  if (!asked.every((scope) => grant.scopes.includes(scope)))
    throw new OauthFault(
      'invalid_scope',
      '"scope" must not contain scopes beyond those of the refresh token.',
    )
  return issue(runtime, known, { ...grant, scopes: asked })
}

function checkResource(form: Form, { resource }: Grant): void {
  const named = form.get('resource')
  if (named !== undefined && named !== resource)
    throw new OauthFault('invalid_target', '"resource" must be the resource of the authorization request.')
}

/**
 * Issues new tokens in place of a code or refresh token. Of two concurrent uses, one gets tokens and the other ends
 * them.
 */
async function issue(
  runtime: McpRuntime,
  used: StoredDocument<CodeData | TokenData>,
  grant: Grant,
): Promise<ServiceAnswer> {
  const { documents, now } = runtime.context
  const access = newSecret('gwo_')
  const renewal = newSecret('gwor_')
  const nowMs = now()
  const draft = (secret: string, type: TokenData['type'], seconds: number) => {
    const data: TokenData = { ...grant, type, expires_at: nowMs + seconds * 1000, is_used: false }
    const document = draftOf(oauthKinds.token, secret, {
      data,
      nowMs,
      organisationId: grant.subject.organisationId,
    })
    return { op: 'put' as const, document, expected: 0 }
  }
  try {
    await documents.commit([
      usedWrite(used),
      draft(access, 'access', accessSeconds),
      draft(renewal, 'refresh', refreshSeconds),
    ])
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
    await endFamily(documents, grant.family_id)
    throw invalidGrant()
  }
  return {
    status: 200,
    headers: uncached,
    body: {
      access_token: access,
      token_type: 'Bearer',
      expires_in: accessSeconds,
      refresh_token: renewal,
      scope: grant.scopes.join(' '),
    },
  }
}

function basicOf({ basic }: Pick<ServiceRequest, 'basic'>): { id: string; secret: string } | null {
  if (basic === null) return null
  const at = basic.indexOf(':')
  if (at === -1) return null
  return { id: decode(basic.slice(0, at)), secret: decode(basic.slice(at + 1)) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** A client with a secret authenticates with it; a public client with its id. */
async function authenticateClient(runtime: McpRuntime, request: ServiceRequest, form: Form): Promise<Client> {
  const basic = basicOf(request)
  const id = basic?.id ?? form.get('client_id') ?? ''
  const client = await findClient(runtime.context.documents, id)
  const refused = new OauthFault('invalid_client', 'The client is unknown, or its secret is wrong.')
  if (client === null || (basic !== null && form.has('client_id') && form.get('client_id') !== id))
    throw refused
  const { secret_hash } = client.data
  if (secret_hash === null) return client
  if (!isEqual(sha256(basic?.secret ?? form.get('client_secret') ?? ''), secret_hash)) throw refused
  return client
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

async function findToken(runtime: McpRuntime, form: Form): Promise<StoredDocument<TokenData> | null> {
  const text = form.get('token')
  if (text === undefined) throw new OauthFault('invalid_request', '"token" is missing.')
  return findBySecret<TokenData>(runtime.context.documents, oauthKinds.token, text)
}

async function introspect(runtime: McpRuntime, request: ServiceRequest): Promise<ServiceAnswer> {
  const form = await readForm(request)
  const asker = await askerOf(runtime, request, form)
  const found = await findToken(runtime, form)
  const isSeen =
    found !== null &&
    (asker.client === null
      ? asker.organisationId === found.data.subject.organisationId
      : asker.client === found.data.client_id)
  if (found !== null && !isSeen && asker.client !== null)
    throw new OauthFault('invalid_client', 'The token belongs to another client.')
  const isActive = isSeen && !found.data.is_used && found.data.expires_at > runtime.context.now()
  if (!isActive) return { status: 200, headers: uncached, body: { active: false } }
  const { data, created_at } = found
  return {
    status: 200,
    headers: uncached,
    body: {
      active: true,
      scope: data.scopes.join(' '),
      client_id: data.client_id,
      token_type: data.type === 'access' ? 'Bearer' : 'refresh_token',
      exp: Math.floor(data.expires_at / 1000),
      iat: Math.floor(created_at / 1000),
      sub: data.subject.userId ?? data.subject.keyId,
      aud: data.resource,
      iss: runtime.context.publicUrl(),
    },
  }
}

/** The caller: a key of the organisation, or a client. */
async function askerOf(
  runtime: McpRuntime,
  request: ServiceRequest,
  form: Form,
): Promise<{ client: string | null; organisationId: string | null }> {
  if (request.hasKey) {
    const identity = await request.authenticate()
    if (identity.type === 'admin' || identity.type === 'organisation-service')
      return { client: null, organisationId: identity.organisationId }
    throw new OauthFault(
      'invalid_client',
      'Only an API key of the same organisation may introspect this token.',
    )
  }
  return { client: (await authenticateClient(runtime, request, form)).id, organisationId: null }
}

/** An unknown token counts as revoked (RFC 7009). */
async function revoke(runtime: McpRuntime, request: ServiceRequest): Promise<ServiceAnswer> {
  const form = await readForm(request)
  const client = await authenticateClient(runtime, request, form)
  const found = await findToken(runtime, form)
  const { documents } = runtime.context
  if (found !== null && found.data.client_id === client.id) {
    if (found.data.type === 'refresh') await endFamily(documents, found.data.family_id)
    else await documents.commit([{ op: 'remove', kind: found.kind, id: found.id }])
  }
  return { status: 200, headers: uncached, body: {} }
}
