/** Sealed texts as the first version of the gateway wrote them: bound to no record. */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'

const mark = 'sealed:1'

/** @param masterKey 32 bytes */
export function sealWithout(masterKey: Buffer, text: string): string {
  const keyId = createHash('sha256')
    .update('gateway master key')
    .update(masterKey)
    .digest('base64url')
    .slice(0, 8)
  const key = randomBytes(32)
  return `${mark}:${keyId}:${encrypt(masterKey, key, keyId)}:${encrypt(key, Buffer.from(text), mark)}`
}

function encrypt(key: Buffer, plain: Buffer, purpose: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}
