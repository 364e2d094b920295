/** Where a call goes: the upstream of an integration as one caller reaches it. */
import type { Integration } from '../directory.ts'

export interface UpstreamTarget {
  integration: Integration
  /** Whose connection it is: sessions are never shared over persons. */
  person: string
  /** Of every call: those of the integration, those forwarded, those that say who calls. Lower-case names. */
  headers: Readonly<Record<string, string>>
  /** Of one call, because they differ from call to call of the same person: a session serves all of them. */
  callHeaders: Readonly<Record<string, string>>
  /** What no answer may repeat of those headers. */
  secrets: readonly string[]
  /** A new bearer token for a call that was refused with the last one; null where none can be had. */
  renew: (() => Promise<string>) | null
}

/** The upstream asks for other credentials. */
export class UpstreamUnauthorized extends Error {
  /** Its `www-authenticate`. */
  readonly challenge: string | null

  constructor(challenge: string | null) {
    super('The upstream asks for credentials.')
    this.challenge = challenge
  }
}

/** The upstream has forgotten the session. */
export class SessionLost extends Error {}
