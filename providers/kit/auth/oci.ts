/**
 * Request signing of Oracle Cloud: RSA-SHA256 over the request line, date, host and body, in the form of HTTP
 * signatures (version 1). Clocks may differ by five minutes.
 * Reference: https://docs.oracle.com/iaas/Content/API/Concepts/signingrequests.htm
 * Errors: `dependency_unavailable` for a private key that cannot be read.
 */
import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { GatewayError, type UpstreamRequest } from '@gateway/contract'
import { addHeaders } from './credential.ts'

export interface OciCredential {
  /** The tenancy's OCID. */
  tenancy: string
  /** The user's OCID. */
  user: string
  /** Fingerprint of the public key, as the console shows it: hexadecimal pairs with colons. */
  fingerprint: string
  /** The private key as PEM. */
  privateKey: string
  passphrase?: string | undefined
}

const plainHeaders = ['date', '(request-target)', 'host']
const bodyHeaders = ['content-length', 'content-type', 'x-content-sha256']

/** The request with its signature. The body and the content type must not change after this. */
export function signOci(request: UpstreamRequest, credential: OciCredential, date: string): UpstreamRequest {
  const { host, pathname, search } = new URL(request.url)
  const body = request.body === null ? null : Buffer.from(request.body)
  const digest = body === null ? null : createHash('sha256').update(body).digest('base64')
  const values: Record<string, string> = {
    date,
    '(request-target)': `${request.method.toLowerCase()} ${pathname}${search}`,
    host,
    'content-length': String(body?.length ?? 0),
    'content-type': request.headers['content-type'] ?? 'application/json',
    'x-content-sha256': digest ?? '',
  }
  const names = digest === null ? plainHeaders : [...plainHeaders, ...bodyHeaders]
  const text = names.map((name) => `${name}: ${values[name]}`).join('\n')
  const signature = sign('RSA-SHA256', Buffer.from(text), readKey(credential)).toString('base64')
  const keyId = `${credential.tenancy}/${credential.user}/${credential.fingerprint}`
  return addHeaders(request, {
    date,
    ...(digest === null ? {} : { 'content-type': values['content-type'], 'x-content-sha256': digest }),
    authorization: `Signature version="1",headers="${names.join(' ')}",keyId="${keyId}",algorithm="rsa-sha256",signature="${signature}"`,
  })
}

/** Parsing a key takes longer than signing, so the most recent keys are cached. */
const keys = new Map<string, KeyObject>()
const maxKeys = 100

function readKey({ privateKey, passphrase }: OciCredential): KeyObject {
  const id = createHash('sha256')
    .update(JSON.stringify([privateKey, passphrase]))
    .digest('base64')
  const known = keys.get(id)
  if (known !== undefined) return known
  const key = parseKey(privateKey, passphrase)
  const oldest = keys.keys().next()
  if (keys.size >= maxKeys && oldest.done !== true) keys.delete(oldest.value)
  keys.set(id, key)
  return key
}

function parseKey(privateKey: string, passphrase: string | undefined): KeyObject {
  try {
    // Line breaks are often written as
    //  when a key is stored in one line.
    const key = createPrivateKey({
      key: privateKey.replaceAll('\\n', '\n'),
      ...(passphrase === undefined ? {} : { passphrase }),
    })
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // The parser's message can quote the key.
  }
  throw new GatewayError('dependency_unavailable', 'The private key of the stored credential cannot be read.')
}
