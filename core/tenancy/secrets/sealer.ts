/**
 * Secrets at rest: each text is encrypted with a separate key (AES-256-GCM), and that key with the master key. A new
 * master key therefore only requires wrapping keys again, without decrypting secrets. Form:
 * `sealed:2:KEYID:WRAPPED:TEXT`, base64url, WRAPPED and TEXT being nonce (12 bytes), ciphertext, tag (16 bytes); KEYID
 * identifies the master key without revealing it. TEXT is bound to its record, so that write access to the store does
 * not allow opening another record's secret. Texts of the form `sealed:1:…` are not bound: the migration at start binds
 * them, and nothing else reads them.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { GatewayError, type Sealer } from '@gateway/contract'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const mark = 'sealed:2'
/** The form of texts that are not bound to a record. */
const unboundMark = 'sealed:1'

export interface MasterSealer extends Sealer {
  /**
   * Re-wraps the secret's key with the current master key, without decrypting the secret; unchanged when it already
   * uses that key.
   */
  rewrap(sealed: string): string
  /** Identifies the master key without revealing it. */
  fingerprint: string
  /** Whether a fingerprint is that of the master key or of a previous key. */
  hasKey(fingerprint: string): boolean
  /** Whether a text was sealed with the master key or a previous key. */
  canOpen(sealed: string): boolean
  /** Binds an unbound text to this record; other texts are returned unchanged. */
  bind(sealed: string, record: string): string
}

/**
 * @param masterKey 32 bytes: seals new texts
 * @param previousKeys texts sealed with these keys can still be opened, until they are wrapped again
 */
export function createSealer(masterKey: Buffer, previousKeys: readonly Buffer[] = []): MasterSealer {
  const keyId = idOf(masterKey)
  const keys = new Map([masterKey, ...previousKeys].map((key) => [idOf(key), key]))
  const fingerprints = new Set([masterKey, ...previousKeys].map(fingerprintOf))

  /** The key of one sealed text. */
  function unwrap(sealed: string): Buffer {
    const [, , id = '', wrapped] = sealed.split(':')
    if (wrapped === undefined || !isSealed(sealed)) throw damaged('It is not an encrypted text.')
    const key = keys.get(id)
    if (key === undefined) throw damaged('It was encrypted with another master key.')
    return decrypt(key, wrapped, id)
  }

  const join = (form: string, key: Buffer, text: string) =>
    `${form}:${keyId}:${encrypt(masterKey, key, keyId)}:${text}`

  function seal(plaintext: string, record: string): string {
    const key = randomBytes(32)
    return join(mark, key, encrypt(key, Buffer.from(plaintext), purposeOf(record)))
  }

  return {
    seal,
    open(sealed, record) {
      if (isUnbound(sealed)) throw damaged('An earlier version encrypted it: restart the gateway.')
      return decrypt(unwrap(sealed), textOf(sealed), purposeOf(record)).toString()
    },
    bind: (sealed, record) =>
      isUnbound(sealed)
        ? seal(decrypt(unwrap(sealed), textOf(sealed), unboundMark).toString(), record)
        : sealed,
    rewrap: (sealed) =>
      sealed.split(':')[2] === keyId
        ? sealed
        : join(isUnbound(sealed) ? unboundMark : mark, unwrap(sealed), textOf(sealed)),
    isSealed,
    fingerprint: fingerprintOf(masterKey),
    hasKey: (fingerprint) => fingerprints.has(fingerprint),
    canOpen: (sealed) => keys.has(sealed.split(':')[2] ?? ''),
  }
}

const isUnbound = (text: string) => text.startsWith(`${unboundMark}:`)

const isSealed = (text: string) => text.startsWith(`${mark}:`) || isUnbound(text)

/** The context that an encrypted text is bound to: its form, and its record. */
const purposeOf = (record: string) => `${mark} ${record}`

/** Identifies a master key without revealing it. */
const fingerprintOf = (masterKey: Buffer) =>
  createHash('sha256').update('gateway master key').update(masterKey).digest('base64url')

/** The part of the fingerprint in each sealed text. */
const idOf = (masterKey: Buffer) => fingerprintOf(masterKey).slice(0, 8)

const textOf = (sealed: string) => sealed.slice(sealed.lastIndexOf(':') + 1)

/** Encrypts to nonce, ciphertext and tag, bound to the purpose. */
function encrypt(key: Buffer, plain: Buffer, purpose: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(purpose))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

function decrypt(key: Buffer, text: string, purpose: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) throw damaged('It is truncated.')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()])
  } catch (error) {
    throw damaged('It was changed, or encrypted with another key.', error)
  }
}

const damaged = (reason: string, cause?: unknown) =>
  new GatewayError('internal_error', `A stored secret cannot be read. ${reason}`, { cause })
