/**
 * The gateway's own request headers (contract section 2), read once: `x-gateway-…` and the other prefixes of
 * `server.header_prefixes`. Errors name the header.
 */

import { isUtf8 } from 'node:buffer'
import {
  describeJsonFault,
  type Fault,
  faultsError,
  GatewayError,
  isObject,
  type ProviderSettings,
  parseJson,
} from '@gateway/contract'
import { credentialHeader, credentialKeys } from '@gateway/domain'
import { createValidator, toFaults, type Validator } from '@gateway/validation'
import { Type } from '@sinclair/typebox'
import { checkForwardedName, isScrubbed, namedByConnection } from './forwarding.ts'

export interface GatewayOptions {
  /** The prefix of this request, also used in its answer. */
  prefix: string
  /** The raw `x-gateway-config`: an id or JSON. */
  config: string | null
  virtualKey: string | null
  provider: string | null
  /** The provider's own credential in a direct call. */
  credential: string | null
  /** Credential keys of the config sent as headers. */
  keys: Partial<ProviderSettings>
  customHost: string | null
  forwardHeaders: readonly string[] | null
  requestTimeoutMs: number | null
  firstTokenTimeoutMs: number | null
  streamIdleTimeoutMs: number | null
  strict: boolean | null
  metadata: Readonly<Record<string, string>>
  cacheNamespace: string | null
  cacheForceRefresh: boolean
  /** Whether the answer includes the decisions. */
  explains: boolean
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The gateway's headers of a request, trimmed and without their prefix; and that prefix. */
export interface OwnHeaders {
  prefix: string
  values: ReadonlyMap<string, string>
}

/** Reads every header once; if two prefixes yield the same name, the first prefix wins. */
export function collectOwnHeaders(headers: Headers, prefixes: readonly string[]): OwnHeaders {
  const values = new Map<string, string>()
  let first = prefixes.length
  for (const name in headers) {
    for (let index = 0; index < prefixes.length; index += 1) {
      const prefix = prefixes[index] as string
      if (!name.startsWith(prefix)) continue
      const value = headers[name]
      const text = typeof value === 'string' ? utf8Of(value).trim() : ''
      const key = name.slice(prefix.length)
      if (text === '' || (values.has(key) && index >= first)) continue
      values.set(key, text)
      if (index < first) first = index
    }
  }
  return { prefix: prefixes[first] ?? prefixes[0] ?? 'x-gateway-', values }
}

/** Only values with bytes above ASCII are decoded; in-process callers may send any characters. */
const encoded = /^(?=.*[\x80-\xff])[\0-\xff]*$/s

/** Node reads headers as Latin-1; clients send UTF-8. A value that is not valid UTF-8 stays as it is. */
function utf8Of(value: string): string {
  if (!encoded.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

/** Credential keys of the config by header. */
const credentialHeaders: ReadonlyMap<string, string> = new Map(
  Object.keys(credentialKeys)
    .filter((key) => key !== 'api_key' && key !== 'custom_host')
    .map((key) => [credentialHeader(key), key]),
)

/** Keys whose header contains JSON. */
const jsonKeys: readonly string[] = ['deployments', 'cloudC_service_account_json']

interface Reader {
  text(name: string): string | null
  fault(name: string, message: string): void
}

/**
 * Reads the gateway's headers. The caller's gateway key is never used as a provider's credential.
 * @throws GatewayError `invalid_header` with every malformed header
 */
export function readGatewayHeaders(
  headers: Headers,
  own: OwnHeaders,
  prefixes: readonly string[],
): GatewayOptions {
  const { prefix, values } = own
  const faults: Fault[] = []
  const reader: Reader = {
    text: (name) => values.get(name) ?? null,
    fault(name, message) {
      faults.push({ param: `header/${prefix}${name}`, code: 'invalid_header', message })
    },
  }
  const options: GatewayOptions = {
    prefix,
    config: reader.text('config'),
    virtualKey: reader.text('virtual-key'),
    provider: reader.text('provider'),
    credential: readCredential(headers, own),
    keys: readKeys(reader, values),
    customHost: reader.text('custom-host'),
    forwardHeaders: readForwardHeaders(reader, prefixes),
    requestTimeoutMs: readTimeout(reader, 'request-timeout', 86_400_000),
    firstTokenTimeoutMs: readTimeout(reader, 'first-token-timeout', 600_000),
    streamIdleTimeoutMs: readTimeout(reader, 'stream-idle-timeout', 600_000),
    strict: readBoolean(reader, 'strict-compat-compliance'),
    metadata: readMetadata(reader),
    cacheNamespace: reader.text('cache-namespace'),
    cacheForceRefresh: reader.text('cache-force-refresh') === 'true',
    explains: readBoolean(reader, 'explain') === true,
  }
  if (faults.length > 0) throw faultsError(faults)
  return options
}

/** `Authorization` or a vendor's key header, when the gateway key was in the gateway's own header. */
function readCredential(headers: Headers, own: OwnHeaders): string | null {
  const key = own.values.get('api-key')
  if (key === undefined) return null
  const credential = bearerOf(headers) ?? bareKeyOf(headers)
  return credential === key || credential === '' ? null : credential
}

/** The headers in which clients of vendors send their key, other than a bearer token. */
const keyHeaders = ['x-api-key', 'x-goog-api-key'] as const

/** The key in one of them, or null. */
export function bareKeyOf(headers: Headers): string | null {
  for (const name of keyHeaders) {
    const value = headers[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return null
}

export function bearerOf(headers: Headers): string | null {
  const { authorization } = headers
  if (typeof authorization !== 'string') return null
  const text = authorization.trim()
  return /^bearer\s+./i.test(text) ? text.slice('bearer'.length).trim() : null
}

const noKeys: Partial<ProviderSettings> = {}

function readKeys(reader: Reader, values: ReadonlyMap<string, string>): Partial<ProviderSettings> {
  let keys: Record<string, unknown> | null = null
  for (const [header, value] of values) {
    const key = credentialHeaders.get(header)
    if (key === undefined) continue
    keys ??= {}
    keys[key] = jsonKeys.includes(key) ? parseJson(value) : value
    if (keys[key] === undefined) reader.fault(header, describeJsonFault(value))
  }
  if (keys === null) return noKeys
  checkKeys(keys, reader)
  return keys
}

let validateKeys: Validator | null = null

/** These values have the same form as in a config. */
function checkKeys(keys: Record<string, unknown>, reader: Reader): void {
  validateKeys ??= createValidator(Type.Object(credentialKeys))
  for (const { param, message } of toFaults(validateKeys(keys) ?? [], 'invalid_header')) {
    const [, key = '', ...rest] = param.split('/')
    reader.fault(credentialHeader(key), rest.length === 0 ? message : `/${rest.join('/')} ${message}`)
  }
}

function readForwardHeaders(reader: Reader, prefixes: readonly string[]): readonly string[] | null {
  const value = reader.text('forward-headers')
  if (value === null) return null
  const names = value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  for (const name of names) {
    const reason = checkForwardedName(name, prefixes)
    if (reason !== null) reader.fault('forward-headers', reason)
  }
  return names.map((name) => name.toLowerCase())
}

function readTimeout(reader: Reader, name: string, longestMs: number): number | null {
  const value = reader.text(name)
  if (value === null) return null
  const timeoutMs = /^\d{1,8}$/.test(value) ? Number(value) : 0
  if (timeoutMs < 1 || timeoutMs > longestMs) {
    reader.fault(name, `must be a positive integer up to ${longestMs}, in milliseconds`)
  }
  return timeoutMs
}

function readBoolean(reader: Reader, name: string): boolean | null {
  const value = reader.text(name)?.toLowerCase()
  if (value === undefined) return null
  if (value !== 'true' && value !== 'false') reader.fault(name, 'must be true or false')
  return value === 'true'
}

const noMetadata: Readonly<Record<string, string>> = {}

function readMetadata(reader: Reader): Readonly<Record<string, string>> {
  const value = reader.text('metadata')
  if (value === null) return noMetadata
  const parsed = parseJson(value)
  if (!isObject(parsed)) {
    const isJson = parsed !== undefined
    reader.fault('metadata', isJson ? 'must be a JSON object of strings' : describeJsonFault(value))
    return {}
  }
  for (const [name, entry] of Object.entries(parsed)) {
    if (typeof entry !== 'string')
      reader.fault('metadata', `must be a JSON object of strings; /${name} is not one`)
  }
  return parsed as Record<string, string>
}

/** Credential headers: read above, then removed. */
const credentialNames: ReadonlySet<string> = new Set(['authorization', ...keyHeaders, 'cookie'])

/** The inbound headers without network path, credentials, and the gateway's own headers. */
export function scrubHeaders(headers: Headers, prefixes: readonly string[]): Record<string, string> {
  const { connection } = headers
  const named = namedByConnection(typeof connection === 'string' ? connection : undefined)
  const kept: Record<string, string> = {}
  const decided = decisionsFor(prefixes)
  for (const name in headers) {
    const value = headers[name]
    const isKept = decided.get(name) ?? decide(name, prefixes, decided)
    if (value === undefined || !isKept || named.includes(name)) continue
    kept[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return kept
}

/** Callers send the same few names repeatedly. */
const decisions = new WeakMap<readonly string[], Map<string, boolean>>()
const maxNames = 1000

function decisionsFor(prefixes: readonly string[]): Map<string, boolean> {
  const known = decisions.get(prefixes)
  if (known !== undefined) return known
  const made = new Map<string, boolean>()
  decisions.set(prefixes, made)
  return made
}

function decide(name: string, prefixes: readonly string[], decided: Map<string, boolean>): boolean {
  const isGone =
    isScrubbed(name) || credentialNames.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  if (decided.size < maxNames) decided.set(name, !isGone)
  return !isGone
}

/** `header/NAME` for a header of the prefix that the request used. */
export const headerParam = (options: Pick<GatewayOptions, 'prefix'>, name: string) =>
  `header/${options.prefix}${name}`

/** An error in one of the gateway's headers. */
export function headerError(
  options: Pick<GatewayOptions, 'prefix'>,
  name: string,
  message: string,
): GatewayError {
  const param = headerParam(options, name)
  return new GatewayError('invalid_header', `${options.prefix}${name}: ${message}`, { param })
}
