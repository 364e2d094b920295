/** Secrets of API keys: created, hashed and replaced (management contract, section 10). */

import { createHash } from 'node:crypto'
import { createKey, type ManagedKeyData } from '@gateway/domain'
import { isoOf } from './data.ts'

type Secret = ManagedKeyData['secrets'][number]

export interface NewSecret {
  /** Shown once. */
  text: string
  stored: Secret
}

/** A new secret: the prefix and 40 random letters and digits, 238 bits. */
export function createSecret(prefix: string, version: number): NewSecret {
  const text = createKey(prefix)
  return {
    text,
    stored: {
      key_version: version,
      hash: createHash('sha256').update(text).digest('hex'),
      prefix,
      first: text.slice(0, 3),
      last: text.slice(-4),
      ends_at: null,
    },
  }
}

/** The mask that answers show after a secret was shown once. */
export const maskOf = (secret: Secret | undefined): string | null =>
  secret === undefined ? null : `${secret.first}****${secret.last}`

/**
 * The secrets after a rotation: the new one immediately, the newest of the old ones until the transition ends.
 * @returns the changed members of the data, and the new secret's text
 */
export function rotateSecrets(
  data: ManagedKeyData,
  { prefix, nowMs, transitionMs }: { prefix: string; nowMs: number; transitionMs: number },
): { changed: Pick<ManagedKeyData, 'secrets' | 'last_rotated_at' | 'unread'>; text: string; endsAt: string } {
  const [current] = data.secrets
  const { text, stored } = createSecret(prefix, (current?.key_version ?? 0) + 1)
  const endsAt = isoOf(nowMs + transitionMs)
  const old = current === undefined ? [] : [{ ...current, ends_at: endsAt }]
  return {
    changed: { secrets: [stored, ...old], last_rotated_at: isoOf(nowMs), unread: null },
    text,
    endsAt,
  }
}

/** The secrets without the old ones, after a transition has ended. */
export const withoutOldSecrets = ({ secrets }: ManagedKeyData): Secret[] => secrets.slice(0, 1)
