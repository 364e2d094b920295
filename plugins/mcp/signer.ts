/**
 * The key with which the gateway signs caller identities (ES256): created once for all processes, stored encrypted,
 * published as a JWKS.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { isGatewayError, type JsonObject, type ServiceContext } from '@gateway/contract'
import { recordOf } from '@gateway/domain'

export interface Signer {
  publicKey(): Promise<JsonObject>
  /** Creates a JWT with these claims. */
  sign(claims: JsonObject): Promise<string>
}

const kind = 'signing_key'
const id = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c10'

interface Key {
  privateKey: KeyObject
  publicKey: JsonObject
}

export function createSigner({
  documents,
  sealer,
  now,
}: ServiceContext<'documents' | 'now' | 'sealer'>): Signer {
  let loading: Promise<Key> | null = null

  async function load(): Promise<Key> {
    const found = (await documents.get(kind, id)) ?? (await make())
    const pem = sealer.open(String(found.data.sealed), recordOf({ kind, id }))
    return keyOf(createPrivateKey(pem))
  }

  /** If two processes start at the same time, one of them creates the key. */
  async function make(): Promise<{ data: JsonObject }> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const document = {
      kind,
      id,
      organisation_id: null,
      workspace_id: null,
      slug: null,
      name: null,
      status: 'active',
      created_at: now(),
      last_updated_at: now(),
      keys: [],
      attributes: {},
      data: { sealed: sealer.seal(pem, recordOf({ kind, id })) },
    }
    try {
      await documents.commit([{ op: 'put', document, expected: 0 }])
      return document
    } catch (error) {
      if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
      const found = await documents.get(kind, id)
      if (found === null) throw error
      return found
    }
  }

  const key = () => {
    loading ??= load().catch((error: unknown) => {
      loading = null
      throw error
    })
    return loading
  }

  return {
    publicKey: async () => (await key()).publicKey,
    async sign(claims) {
      const { privateKey, publicKey } = await key()
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const signed = `${part({ alg: 'ES256', typ: 'JWT', kid: publicKey.kid })}.${part(claims)}`
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      return `${signed}.${signature.toString('base64url')}`
    },
  }
}

function keyOf(privateKey: KeyObject): Key {
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' })
  // RFC 7638 requires exactly these members in this order.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  const publicKey: JsonObject = {
    kty: kty ?? '',
    crv: crv ?? '',
    x: x ?? '',
    y: y ?? '',
    kid,
    alg: 'ES256',
    use: 'sig',
  }
  return { privateKey, publicKey }
}
