/**
 * Reasons why a sign-in through an identity provider was refused. API clients get an error; a browser is redirected to
 * the console's sign-in page with one of these reasons. The address contains no text from the identity provider.
 */
import { type ErrorCode, GatewayError, isGatewayError, type ServiceAnswer } from '@gateway/contract'
import type { Call } from '../../engine/index.ts'

const refusals = {
  access_denied: ['invalid_api_key', 'The identity provider did not sign the person in'],
  provider_refused: ['invalid_api_key', 'The identity provider did not sign the person in'],
  expired: [
    'invalid_api_key',
    'This sign-in was started in another browser, has expired or has been used. Start again.',
  ],
  switched_off: ['invalid_api_key', 'The organisation no longer has single sign-on.'],
  email_unverified: [
    'forbidden',
    'The identity provider has not verified the e-mail address: the token needs email_verified: true, or the ' +
      'settings of the identity provider trust_email: true.',
  ],
  email_missing: ['forbidden', 'The identity provider did not send an e-mail address.'],
  address_taken: [
    'forbidden',
    'Another account of the identity provider already signs in with this e-mail address.',
  ],
  domain_not_allowed: ['forbidden', 'The organisation does not allow the domain of this e-mail address.'],
  invite_needed: ['forbidden', 'The organisation does not create users at sign-in. Ask for an invite.'],
  not_allowed: ['forbidden', 'This user may not sign in to the organisation.'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>

type RefusalReason = keyof typeof refusals

export class SignInRefusal extends GatewayError {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, detail: string | null, cause: unknown) {
    const [code, message] = refusals[reason]
    super(code, detail === null ? message : `${message}: ${detail}`, { cause })
    this.reason = reason
  }
}

/** @param detail only for API clients and the log */
export const refusal = (reason: RefusalReason, detail: string | null = null, cause?: unknown): GatewayError =>
  new SignInRefusal(reason, detail, cause)

const signInPath = '/console/login'

/** The reason in the address; null for an error of the request itself, such as an invalid query. */
function reasonOf(error: GatewayError): string | null {
  if (error instanceof SignInRefusal) return error.reason
  if (error.code === 'rate_limit_exceeded') return 'too_many_tries'
  if (error.code === 'not_found') return 'switched_off'
  if (error.status >= 500 || error.code === 'host_not_allowed') return 'unavailable'
  if (error.status === 403) return 'not_allowed'
  return error.status === 401 ? 'provider_refused' : null
}

/**
 * Runs a step of a sign-in. When it is refused, a browser is redirected to the console's sign-in page.
 * @param returnTo the page that the user requested
 */
export async function orSignInPage(
  call: Call<'routes'>,
  step: () => Promise<ServiceAnswer>,
  returnTo: () => string | null,
): Promise<ServiceAnswer> {
  try {
    return await step()
  } catch (error) {
    const reason = isGatewayError(error) ? reasonOf(error) : null
    if (reason === null || !isBrowser(call) || !hasConsole(call)) throw error
    call.context.log.info({ trace_id: call.request.traceId, reason }, 'single sign-on refused')
    const query = new URLSearchParams({ error: reason })
    const path = returnTo()
    if (path !== null) query.set('return_to', path)
    return {
      status: 302,
      headers: { location: `${signInPath}?${query}`, 'cache-control': 'no-store' },
      body: { text: '' },
    }
  }
}

const isBrowser = ({ request }: Call) => (request.headers.accept ?? '').includes('text/html')

const hasConsole = ({ context }: Call<'routes'>) => context.routes().some(({ path }) => path === '/console')
