/**
 * An OpenID Connect provider on loopback, which signs in any person that the test specifies, and a browser that follows
 * redirects.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'

export interface IdentityProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** The user who signs in next; null to refuse. */
  signIn(account: string | null, claims?: Record<string, unknown>): void
  /** A token that the provider signs with its key. */
  sign(claims: JWTPayload, header?: Record<string, string>): Promise<string>
  close(): Promise<void>
}

const clientId = 'gateway'
const clientSecret = 'a-secret-of-the-client-0123456789'

export async function startIdentityProvider(gatewayUrl: string): Promise<IdentityProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'test', alg: 'RS256', use: 'sig' }
  let account: string | null = null
  let told: Record<string, unknown> = {}
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${gatewayUrl}/v1/auth/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [jwk] },
    claims: {
      openid: ['sub', 'sid'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'realm'],
    },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...told }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
  }
  const provider = new Provider(issuer, configuration)
  const callback = provider.callback()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/interaction/') !== true) return callback(request, response)
    const details = await provider.interactionDetails(request, response)
    if (account === null) {
      const refusal = { error: 'access_denied', error_description: 'Not today.' }
      return provider.interactionFinished(request, response, refusal)
    }
    const grant = new provider.Grant({ accountId: account, clientId: String(details.params.client_id) })
    grant.addOIDCScope('openid email profile')
    const result = { login: { accountId: account }, consent: { grantId: await grant.save() } }
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  }

  return {
    issuer,
    clientId,
    clientSecret,
    signIn(next, claims = {}) {
      account = next
      told = claims
    },
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test', ...header }).sign(privateKey),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export interface Browser {
  /** Follows redirects until an answer is not a redirect, or a redirect leads to `stopAt`. */
  open(
    url: string,
    stopAt?: (url: URL) => boolean,
  ): Promise<{ response: Response; url: URL; location: string | null }>
  cookie(origin: string, name: string): string | undefined
  setCookie(origin: string, name: string, value: string): void
}

const maxRedirects = 20

export function createBrowser(headers: Readonly<Record<string, string>> = {}): Browser {
  const jar = new Map<string, Map<string, string>>()
  const cookiesOf = (origin: string) => {
    const known = jar.get(origin) ?? new Map<string, string>()
    jar.set(origin, known)
    return known
  }
  return {
    async open(address, stopAt = () => false) {
      let url = new URL(address)
      for (let count = 0; count < maxRedirects; count += 1) {
        const cookies = cookiesOf(url.origin)
        const response = await fetch(url, {
          redirect: 'manual',
          headers: { ...headers, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        })
        for (const line of response.headers.getSetCookie()) {
          const [pair = ''] = line.split(';')
          const at = pair.indexOf('=')
          cookies.set(pair.slice(0, at), pair.slice(at + 1))
        }
        const location = response.headers.get('location')
        if (response.status < 300 || response.status >= 400 || location === null) {
          return { response, url, location: null }
        }
        const next = new URL(location, url)
        if (stopAt(next)) return { response, url, location }
        url = next
      }
      throw new Error('The browser was sent in a circle.')
    },
    cookie: (origin, name) => cookiesOf(origin).get(name),
    setCookie: (origin, name, value) => void cookiesOf(origin).set(name, value),
  }
}
