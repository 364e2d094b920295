/**
 * A small sign-in page for browsers that another page of the gateway has redirected, such as the OAuth consent page. It
 * needs neither the console nor scripts, and offers every way to sign in: password with a second factor, identity
 * provider, API key.
 */
import {
  GatewayError,
  isGatewayError,
  type JsonObject,
  type Route,
  type ServiceAnswer,
} from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { type Call, escapeHtml, htmlPage, type ManagementContext, plainRoute } from '../engine/index.ts'
import { returnPath } from './oidc/return-to.ts'
import { withOidc } from './oidc/sign-in.ts'
import { login } from './sign-in.ts'

const path = '/oauth/sign-in'
const maxBytes = 16_384
const query = Type.Object({ return_to: Type.Optional(Type.String({ maxLength: 2048 })) })

interface Shown {
  returnTo: string | null
  /** The reason why the last attempt failed. */
  fault: string | null
  status: number
}

async function show(call: Call, { returnTo, fault, status }: Shown): Promise<ServiceAnswer> {
  const back =
    returnTo === null ? '' : `<input type="hidden" name="return_to" value="${escapeHtml(returnTo)}">`
  const alert = fault === null ? '' : `<p role="alert">${escapeHtml(fault)}</p>`
  const elsewhere = (await withOidc(call)).map(
    ({ id, name, slug }) =>
      `<form action="/v1/auth/oidc">${back}<input type="hidden" name="organisation" value="${escapeHtml(slug ?? id)}">` +
      `<button>Sign in with ${escapeHtml(name ?? slug ?? id)}</button></form>`,
  )
  const form = (fields: string) =>
    `<form method="post" action="${path}">${back}${fields}<button class="primary">Sign in</button></form>`
  const password = form(
    '<label>E-mail<input name="email" type="email" autocomplete="username"></label>' +
      '<label>Password<input name="password" type="password" autocomplete="current-password"></label>' +
      '<label>Code of the second factor, if you use one<input name="totp" autocomplete="one-time-code"></label>',
  )
  const key = form('<label>API key<input name="api_key" type="password" autocomplete="off"></label>')
  return htmlPage('Sign in', `${alert}${password}<h2>Or</h2>${elsewhere.join('')}${key}`, status)
}

const returnToOf = (written: unknown): string | null =>
  typeof written === 'string' && written !== '' ? returnPath(written) : null

/** Prevents another site's form from signing the browser in as another user. */
function checkSender({ request, context }: Call<'publicUrl'>): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOwn =
    site === undefined
      ? origin === undefined || origin === originOf(context.publicUrl())
      : site === 'same-origin'
  if (!isOwn) throw new GatewayError('forbidden', 'Only the sign-in page of the gateway may send this form.')
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url)

async function readForm({ request }: Call): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.bodyStream ?? []) {
    size += chunk.length
    if (size > maxBytes)
      throw new GatewayError('body_too_large', `The form is larger than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
  const bounds: Readonly<Record<string, number>> = {
    email: 255,
    password: 1024,
    totp: 64,
    api_key: 512,
    return_to: 2048,
  }
  const read: JsonObject = {}
  for (const [name, most] of Object.entries(bounds)) {
    const value = form.get(name) ?? ''
    const text = name === 'password' ? value : value.trim()
    if (text.length > most)
      throw new GatewayError('invalid_body', `/${name}: is longer than ${most} characters`, {
        param: `/${name}`,
      })
    if (text !== '') read[name] = text
  }
  return read
}

async function submit(
  call: Call<'identify' | 'isAddressAllowed' | 'isBehindTls' | 'publicUrl' | 'shared'>,
): Promise<ServiceAnswer> {
  checkSender(call)
  const { return_to, ...body } = await readForm(call)
  const returnTo = returnToOf(return_to)
  try {
    call.body = body
    const { headers } = await login(call)
    const done =
      returnTo === null
        ? htmlPage('Signed in', '<p>You can close this page.</p>')
        : { status: 303, headers: { location: returnTo, 'cache-control': 'no-store' }, body: { text: '' } }
    return { ...done, headers: { ...done.headers, ...headers } }
  } catch (error) {
    if (!isGatewayError(error) || error.status >= 500) throw error
    await call.recordRefusal(error, { action: 'login', resource_type: 'session', resource_id: null }, [])
    return show(call, { returnTo, fault: error.message, status: error.status })
  }
}

export function signInPageRoutes(
  context: ManagementContext<'identify' | 'isAddressAllowed' | 'isBehindTls' | 'publicUrl' | 'shared'>,
): Route[] {
  const shared = {
    path,
    tag: 'Sessions',
    scope: 'public' as const,
    listener: 'main' as const,
    audit: { action: 'login', resource_type: 'session' },
  }
  return [
    plainRoute(context, {
      ...shared,
      method: 'GET',
      operationId: 'signInPage',
      summary: 'Serves a sign-in page that needs no console',
      query,
      media: { answer: ['text/html'] },
      handle: (call) => show(call, { returnTo: returnToOf(call.query.return_to), fault: null, status: 200 }),
    }),
    plainRoute(context, {
      ...shared,
      method: 'POST',
      operationId: 'signInPageSubmit',
      summary: 'Receives the form of the sign-in page',
      streamsBody: true,
      media: { body: ['application/x-www-form-urlencoded'], answer: ['text/html'] },
      otherAnswers: { 303: Type.Null() },
      handle: submit,
    }),
  ]
}
