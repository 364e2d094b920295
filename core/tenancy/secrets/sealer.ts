/**
 * Secrets at rest: each text is encrypted with a key of its own (AES-256-GCM), and that key with the master key, so
 * that a new master key means wrapping keys again, not reading secrets. Form: `sealed:1:KEYID:WRAPPED:TEXT`, base64url,
 * WRAPPED and TEXT being nonce (12 bytes), ciphertext, tag (16 bytes); KEYID names the master key without telling it.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { GatewayError, type Sealer } from '@gateway/contract'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const mark = 'sealed:1'

export interface MasterSealer extends Sealer {
  /** The same secret under the present master key, without reading it; unchanged when it is under that already. */
  rewrap(sealed: string): string
  /** Whether a text is sealed, with whatever master key. */
  isSealed(text: string): boolean
}

/**
 * @param masterKey 32 bytes: what is sealed from now on is sealed with it
 * @param previousKeys what was sealed with these can still be opened, until it is wrapped again
 */
export function createSealer(masterKey: Buffer, previousKeys: readonly Buffer[] = []): MasterSealer {
  const keyId = idOf(masterKey)
  const keys = new Map([masterKey, ...previousKeys].map((key) => [idOf(key), key]))

  /** The key of one sealed text. */
  function unwrap(sealed: string): Buffer {
    const [, , id = '', wrapped] = sealed.split(':')
    if (wrapped === undefined || !sealed.startsWith(`${mark}:`)) throw damaged('It is no sealed text.')
    const key = keys.get(id)
    if (key === undefined) throw damaged('It was sealed with another master key.')
    return decrypt(key, wrapped, id)
  }

  const join = (key: Buffer, text: string) => `${mark}:${keyId}:${encrypt(masterKey, key, keyId)}:${text}`

  return {
    seal(plaintext) {
      const key = randomBytes(32)
      return join(key, encrypt(key, Buffer.from(plaintext), mark))
    },
    open: (sealed) => decrypt(unwrap(sealed), textOf(sealed), mark).toString(),
    rewrap: (sealed) => (sealed.split(':')[2] === keyId ? sealed : join(unwrap(sealed), textOf(sealed))),
    isSealed: (text) => text.startsWith(`${mark}:`),
  }
}

/** Names a master key without telling it. */
const idOf = (masterKey: Buffer) =>
  createHash('sha256').update('gateway master key').update(masterKey).digest('base64url').slice(0, 8)

const textOf = (sealed: string) => sealed.slice(sealed.lastIndexOf(':') + 1)

/** Nonce, ciphertext, tag. What it is for is bound to it. */
function encrypt(key: Buffer, plain: Buffer, purpose: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(purpose))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

function decrypt(key: Buffer, text: string, purpose: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) throw damaged('It is cut off.')
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()])
  } catch (error) {
    throw damaged('It was changed, or sealed with another key.', error)
  }
}

const damaged = (reason: string, cause?: unknown) =>
  new GatewayError('internal_error', `A stored secret cannot be read. ${reason}`, { cause })
