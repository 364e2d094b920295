/** Looks up access tokens for the client endpoint: their user, their server and their permissions. */
import { GatewayError, type ServiceContext, type TokenSubject } from '@gateway/contract'
import { findBySecret, oauthKinds, subjectOf, type TokenData } from './records.ts'

interface GrantedAccess {
  subject: TokenSubject
  scopes: ReadonlySet<string>
}

export interface Tokens {
  /** Errors: `invalid_api_key` for an unknown or expired token, or one for another server. */
  find(token: string, slug: string): Promise<GrantedAccess>
  close(): void
}

const maxKnown = 10_000
/**
 * The time for which a lookup is cached. For the same time a token that another process has ended may still be
 * accepted.
 */
const knownMs = 1000

export function createTokens(context: ServiceContext<'documents' | 'now'>): Tokens {
  const { documents } = context
  const known = new Map<string, { data: TokenData; until: number }>()
  const unwatch = documents.watch((changes) => {
    if (changes.length === 0 || changes.some(({ kind }) => kind === oauthKinds.token)) known.clear()
  })

  async function load(token: string): Promise<TokenData | null> {
    const found = known.get(token)
    if (found !== undefined && found.until > context.now()) return found.data
    const document = await findBySecret<TokenData>(documents, oauthKinds.token, token)
    if (document === null || document.status !== 'active') return null
    if (known.size >= maxKnown) known.clear()
    known.set(token, { data: document.data, until: context.now() + knownMs })
    return document.data
  }

  return {
    async find(token, slug) {
      const data = await load(token)
      const isValid = data?.type === 'access' && data.expires_at > context.now() && data.slug === slug
      if (!isValid)
        throw new GatewayError('invalid_api_key', 'The access token is not valid for this MCP server.')
      return { subject: subjectOf(data), scopes: new Set(data.scopes) }
    },
    close: unwatch,
  }
}
