/**
 * Tokens of HashiCorp Vault from sign-ins: cached until shortly before their lease ends, requested once for any number
 * of waiting calls, and discarded when Vault rejects them.
 * References: https://developer.hashicorp.com/vault/api-docs/auth/approle#login-with-approle,
 * https://developer.hashicorp.com/vault/api-docs/auth/kubernetes#login
 */
import { createHash } from 'node:crypto'

export interface VaultToken {
  text: string
  /** Milliseconds since the epoch. */
  expiresAt: number
}

export interface VaultSessions {
  /** The token of this sign-in, from memory or from `signIn`. */
  token(identity: readonly unknown[], nowMs: number, signIn: () => Promise<VaultToken>): Promise<string>
  /** Vault rejected this token: it is not used again. */
  forget(identity: readonly unknown[], token: string): void
}

/** A lease is not used until its last second, because the call with the token takes time. */
const marginMs = 5000
const maxSessions = 1000

/** Creates the sessions of one process. */
export function createVaultSessions(): VaultSessions {
  const known = new Map<string, VaultToken>()
  const flights = new Map<string, Promise<VaultToken>>()

  async function renew(key: string, signIn: () => Promise<VaultToken>): Promise<VaultToken> {
    try {
      const token = await signIn()
      known.delete(key)
      known.set(key, token)
      const [oldest] = known.keys()
      if (known.size > maxSessions && oldest !== undefined) known.delete(oldest)
      return token
    } finally {
      flights.delete(key)
    }
  }

  return {
    async token(identity, nowMs, signIn) {
      const key = keyOf(identity)
      const token = known.get(key)
      if (token !== undefined && token.expiresAt - marginMs > nowMs) return token.text
      const flight = flights.get(key) ?? renew(key, signIn)
      flights.set(key, flight)
      return (await flight).text
    },
    forget(identity, token) {
      const key = keyOf(identity)
      if (known.get(key)?.text === token) known.delete(key)
    },
  }
}

/** Keys are hashed: no secret is used as a key. */
const keyOf = (identity: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(identity)).digest('base64url')
