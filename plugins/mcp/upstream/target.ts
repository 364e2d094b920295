/** The destination of a call: the upstream of an integration for one caller. */
import type { Integration } from '../directory.ts'

export interface UpstreamTarget {
  integration: Integration
  /** The user of the connection. Sessions are never shared between users. */
  person: string
  /**
   * Headers of every call: the integration's, the forwarded ones, and those that identify the caller. Lowercase names.
   */
  headers: Readonly<Record<string, string>>
  /** Headers that differ between calls of the same user; one session serves all of them. */
  callHeaders: Readonly<Record<string, string>>
  /** Values of those headers that must not appear in an answer. */
  secrets: readonly string[]
  /** Returns a new bearer token after the last one was rejected. Null: none can be obtained. */
  renew: (() => Promise<string>) | null
}

/** The upstream requires other credentials. */
export class UpstreamUnauthorized extends Error {
  /** Its `www-authenticate`. */
  readonly challenge: string | null

  constructor(challenge: string | null) {
    super('The upstream requires credentials.')
    this.challenge = challenge
  }
}

/** The upstream has forgotten the session. */
export class SessionLost extends Error {}
