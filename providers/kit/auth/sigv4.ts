/**
 * AWS Signature Version 4 in the `Authorization` header: the path is normalised and encoded once more, except for S3,
 * which uses the path as sent and does not require signed bodies. The signature covers the method, path, query, body
 * and every header that no proxy may change.
 * Reference: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto'
import type { UpstreamRequest } from '@gateway/contract'

export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  /** The token of temporary credentials; null for a user's own keys. */
  sessionToken: string | null
}

export interface SigningOptions {
  credentials: AwsCredentials
  region: string
  /** The service's name in the credential scope, such as `bedrock` or `sts`. */
  service: string
  /** Milliseconds since the epoch. */
  nowMs: number
}

const algorithm = 'AWS4-HMAC-SHA256'
const unsignedPayload = 'UNSIGNED-PAYLOAD'

/** Headers that change on the way, or that contain the signature itself. */
const unsigned: ReadonlySet<string> = new Set([
  'authorization',
  'cache-control',
  'connection',
  'expect',
  'from',
  'keep-alive',
  'max-forwards',
  'pragma',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-amzn-trace-id',
])

/** The signature's own headers, which a caller must not forward. */
const ownHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'host',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
])

/** The same request, signed. The URL is signed as written, so it must be sent as written. */
export function signRequest(request: UpstreamRequest, options: SigningOptions): UpstreamRequest {
  const { credentials, region, service } = options
  const isStorage = service === 's3'
  const time = new Date(options.nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '')
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`
  const { host, path, query } = splitUrl(request.url)
  const headers: Record<string, string> = {
    ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => !ownHeaders.has(name))),
    'x-amz-date': time,
    ...(isStorage ? { 'x-amz-content-sha256': unsignedPayload } : {}),
    ...(credentials.sessionToken === null ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  }
  const signed = Object.entries({ ...headers, host })
    .filter(([name]) => !unsigned.has(name) && !/^(?:proxy|sec)-/.test(name))
    .sort(byName)
  const names = signed.map(([name]) => name).join(';')
  const canonical = [
    request.method,
    isStorage ? path : canonicalPath(path),
    canonicalQuery(query),
    ...signed.map(([name, value]) => `${name}:${canonicalValue(value)}`),
    '',
    names,
    isStorage ? unsignedPayload : sha256(request.body ?? ''),
  ].join('\n')
  const signature = hmac(
    signingKey(credentials.secretAccessKey, scope),
    [algorithm, time, scope, sha256(canonical)].join('\n'),
  ).toString('hex')
  const authorization = `${algorithm} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { ...request, headers: { ...headers, authorization } }
}

function splitUrl(url: string): { host: string; path: string; query: string } {
  const match = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url)
  return { host: match?.[1] ?? '', path: match?.[2] ?? '', query: match?.[3] ?? '' }
}

function canonicalPath(path: string): string {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(encode(segment))
  }
  const isFolder = path.endsWith('/') && segments.length > 0
  return `/${segments.join('/')}${isFolder ? '/' : ''}`
}

/** Sorted by name, then by value; a name without a value gets an empty one. */
function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const end = pair.indexOf('=')
      const [name, value] = end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)]
      return [encode(decode(name)), encode(decode(value))]
    })
    .sort((left, right) => byName(left, right) || compare(left[1], right[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

const canonicalValue = (value: string): string => value.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')

/** Escapes everything but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

const byName = (left: readonly [string, string], right: readonly [string, string]): number =>
  compare(left[0], right[0])

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()

/** The signing key, derived from the secret by each part of the scope in turn. */
function signingKey(secret: string, scope: string): string | Buffer {
  return scope.split('/').reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secret}`)
}
