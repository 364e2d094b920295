/**
 * Temporary credentials of a role from the Security Token Service: with another credential (signed) or with a web
 * identity (unsigned). The service returns JSON on request; other services with its protocol return XML.
 * Reference: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html,
 * …/API_AssumeRoleWithWebIdentity.html
 * Errors: `UpstreamFault` with the service's status when it refuses; `upstream_invalid_response`.
 */
import {
  GatewayError,
  isObject,
  type JsonObject,
  type ProviderFetch,
  type ProviderFetchAnswer,
  type ProviderIo,
  UpstreamFault,
} from '@gateway/contract'
import { parseObject } from '../chat/values.ts'
import { type AwsEnvironment, awsDomain } from './aws-environment.ts'
import { awsErrorOf } from './aws-error.ts'
import { type AwsCredentials, signRequest } from './sigv4.ts'
import type { Expiring } from './token-cache.ts'

const version = '2011-06-15'
const timeoutMs = 10_000

/** One hour, which every role allows. */
const durationSeconds = '3600'

export interface AssumedRole {
  roleArn: string
  externalId: string | null
  region: string
}

/** The credentials of a role, requested with another credential. */
export async function assumeRole(
  role: AssumedRole,
  source: AwsCredentials,
  { environment, io }: { environment: AwsEnvironment; io: ProviderIo },
): Promise<Expiring<AwsCredentials>> {
  const request = stsRequest(role.region, environment, {
    Action: 'AssumeRole',
    RoleArn: role.roleArn,
    RoleSessionName: 'gateway',
    DurationSeconds: durationSeconds,
    ...(role.externalId === null ? {} : { ExternalId: role.externalId }),
  })
  const { url, headers } = signRequest(
    { method: 'POST', url: request.url, headers: request.headers ?? {}, body: request.body ?? null },
    { credentials: source, region: role.region, service: 'sts', nowMs: io.now() },
  )
  return readCredentials(await io.fetch({ ...request, url, headers }))
}

interface AssumeRoleWithWebIdentityOptions {
  region: string
  environment: AwsEnvironment
  io: ProviderIo
}

/** The credentials of the process's role, requested with the token file. */
export async function assumeRoleWithWebIdentity(
  identity: NonNullable<AwsEnvironment['webIdentity']>,
  token: string,
  { region, environment, io }: AssumeRoleWithWebIdentityOptions,
): Promise<Expiring<AwsCredentials>> {
  const request = stsRequest(region, environment, {
    Action: 'AssumeRoleWithWebIdentity',
    RoleArn: identity.roleArn,
    RoleSessionName: identity.sessionName,
    DurationSeconds: durationSeconds,
    WebIdentityToken: token,
  })
  return readCredentials(await io.fetch(request))
}

/** The region was validated, so the address consists of constants and the environment only. */
function stsRequest(
  region: string,
  environment: AwsEnvironment,
  parameters: Record<string, string>,
): ProviderFetch {
  const url = environment.stsUrl ?? `https://sts.${region}.${awsDomain(region)}`
  return {
    method: 'POST',
    url: new URL(`${url}/`).href,
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      accept: 'application/json',
    },
    body: new URLSearchParams({ ...parameters, Version: version }).toString(),
    timeoutMs,
    isAmbient: true,
  }
}

function readCredentials({ status, bytes }: ProviderFetchAnswer): Expiring<AwsCredentials> {
  const text = bytes.toString('utf8')
  const read = readerOf(text)
  if (status >= 400) throw new UpstreamFault(awsErrorOf(status, read('Code'), read('Message') ?? ''))
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map(
    read,
  )
  const expiresAt = timeOf(read('Expiration'))
  if (status !== 200 || !accessKeyId || !secretAccessKey || !sessionToken || expiresAt === null) {
    throw new GatewayError('upstream_invalid_response', 'The token service returned an invalid answer.')
  }
  return { value: { accessKeyId, secretAccessKey, sessionToken }, expiresAt }
}

/** Reads a member or element by its name, at any depth. */
function readerOf(text: string): (name: string) => string | null {
  const json = parseObject(text)
  return json === null ? (name) => elementText(text, name) : (name) => findMember(json, name, 0)
}

/** `{AssumeRoleResponse: {AssumeRoleResult: {Credentials: {…}}}}` and `{Error: {…}}`. */
function findMember(object: JsonObject, name: string, depth: number): string | null {
  const own = object[name]
  if (typeof own === 'string' || typeof own === 'number') return String(own)
  if (depth > 4) return null
  for (const value of Object.values(object)) {
    const found = isObject(value) ? findMember(value, name, depth + 1) : null
    if (found !== null) return found
  }
  return null
}

/** The text of the first element of this name; the elements read here hold text only. */
function elementText(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`)
  if (start === -1) return null
  const from = start + name.length + 2
  const end = xml.indexOf(`</${name}>`, from)
  return end === -1 ? null : unescapeXml(xml.slice(from, end)).trim()
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => entities[name] ?? whole)
}

/** JSON gives seconds, XML an ISO date; milliseconds since the epoch, or null. */
function timeOf(written: string | null): number | null {
  if (written === null) return null
  const time = /^[\d.E+]+$/.test(written) ? Number(written) * 1000 : Date.parse(written)
  return Number.isFinite(time) ? time : null
}
