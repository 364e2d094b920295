/**
 * Gateway keys, stored only as SHA-256 hashes and compared in constant time. Every lookup from a hash to an identity
 * implements {@link KeyRing}.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { noMandatoryHooks } from '@gateway/config'
import type { Identity } from '@gateway/contract'
import type { Caller, KeyDefaults } from '@gateway/flow'

export interface Key {
  identity: Identity
  defaults: KeyDefaults
  /** As of a caller. */
  allowsAddress: Caller['allowsAddress']
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null
  /** SHA-256 of the key. */
  hash: Buffer
}

/** A key in a request, represented by its hash. */
export interface PresentedKey {
  bytes: Buffer
  hex: string
}

export interface KeyRing {
  /** The key's entry, or null when it is unknown. */
  find(key: PresentedKey): Key | null
  /** Finds a key by the id of its identity; the operator's key is {@link operatorKeyId}. */
  findById(id: string): Key | null
}

/** Represents the operator's key, which has no id, in sessions of keys that signed in. */
export const operatorKeyId = 'admin'

export const noDefaults: KeyDefaults = {
  configId: null,
  metadata: {},
  allowConfigOverride: true,
  mandatory: noMandatoryHooks,
}

export function presentKey(key: string): PresentedKey {
  const bytes = hash('sha256', key, 'buffer')
  return { bytes, hex: bytes.toString('hex') }
}

/** A ring of keys that are all known in advance. */
export function createKeyRing(keys: readonly Key[]): KeyRing {
  const byHash = new Map(keys.map((key) => [key.hash.toString('hex'), key]))
  const byId = new Map(keys.map((key) => [key.identity.keyId ?? operatorKeyId, key]))
  return {
    find({ bytes, hex }) {
      const found = byHash.get(hex)
      return found !== undefined && timingSafeEqual(found.hash, bytes) ? found : null
    },
    findById: (id) => byId.get(id) ?? null,
  }
}
