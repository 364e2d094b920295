/**
 * The gateway's own AWS identity, from the same sources as in the vendor's SDKs: environment variables, a web
 * identity's token file, the container's credential endpoint, the machine's metadata service (version 2).
 * Reference: https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html,
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
 * Errors: `dependency_unavailable` when no identity is found or its source does not answer; refusals of STS.
 */
import { GatewayError, type ProviderFetchAnswer, type ProviderIo } from '@gateway/contract'
import { parseObject } from '../chat/values.ts'
import type { AwsEnvironment } from './aws-environment.ts'
import { assumeRoleWithWebIdentity } from './aws-sts.ts'
import type { AwsCredentials } from './sigv4.ts'
import type { Expiring } from './token-cache.ts'

export type ReadTextFile = (path: string) => Promise<string>

const timeoutMs = 2000

/** Credentials without an expiry are requested again after this time. */
const unsaidLifetimeMs = 900_000

/** The identity of the process, other than keys in its environment. */
export async function ambientCredentials(
  region: string,
  environment: AwsEnvironment,
  { io, readFile }: { io: ProviderIo; readFile: ReadTextFile },
): Promise<Expiring<AwsCredentials>> {
  const { webIdentity, container, metadataUrl } = environment
  if (webIdentity !== null) {
    const token = await readToken(webIdentity.tokenFile, readFile)
    return assumeRoleWithWebIdentity(webIdentity, token, { region, environment, io })
  }
  if (container !== null) return containerCredentials(container, io, readFile)
  if (metadataUrl !== null) return machineCredentials(metadataUrl, io)
  throw unavailable('The environment of the gateway contains no AWS credential.')
}

async function readToken(path: string, readFile: ReadTextFile): Promise<string> {
  try {
    return (await readFile(path)).trim()
  } catch (error) {
    throw unavailable('The file of an AWS token cannot be read.', error)
  }
}

async function containerCredentials(
  container: NonNullable<AwsEnvironment['container']>,
  io: ProviderIo,
  readFile: ReadTextFile,
): Promise<Expiring<AwsCredentials>> {
  const { url, tokenFile } = container
  if (!isContainerHost(url)) throw unavailable("The container's credential URL is not an allowed address.")
  const token = tokenFile === null ? container.token : await readToken(tokenFile, readFile)
  const headers: Record<string, string> = token === null ? {} : { authorization: token }
  return readDocument(await io.fetch({ method: 'GET', url, headers, timeoutMs, isAmbient: true }), io.now())
}

/** Plain HTTP is allowed only to this machine and to the addresses of container credential services. */
function isContainerHost(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:') return true
  return protocol === 'http:' && (/^127(?:\.\d{1,3}){3}$/.test(hostname) || containerHosts.has(hostname))
}

const containerHosts: ReadonlySet<string> = new Set([
  'localhost',
  '[::1]',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
])

async function machineCredentials(base: string, io: ProviderIo): Promise<Expiring<AwsCredentials>> {
  const ask = async (method: 'GET' | 'PUT', path: string, headers: Record<string, string>) => {
    const answer = await io.fetch({
      method,
      url: `${base}/latest/${path}`,
      headers,
      timeoutMs,
      isAmbient: true,
    })
    if (answer.status !== 200)
      throw unavailable('The metadata service of the machine returned no credential.')
    return answer
  }
  const lifetime = { 'x-aws-ec2-metadata-token-ttl-seconds': '300' }
  const token = textOf(await ask('PUT', 'api/token', lifetime))
  const headers = { 'x-aws-ec2-metadata-token': token }
  const folder = 'meta-data/iam/security-credentials/'
  const [role = ''] = textOf(await ask('GET', folder, headers)).split('\n')
  return readDocument(await ask('GET', folder + encodeURIComponent(role.trim()), headers), io.now())
}

const textOf = ({ bytes }: ProviderFetchAnswer): string => bytes.toString('utf8').trim()

/** `{AccessKeyId, SecretAccessKey, Token, Expiration}`, as returned for containers and machines. */
function readDocument(answer: ProviderFetchAnswer, nowMs: number): Expiring<AwsCredentials> {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = parseObject(textOf(answer)) ?? {}
  if (answer.status !== 200 || typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string') {
    throw unavailable("The source of the gateway's AWS credential returned none.")
  }
  const end = typeof Expiration === 'string' ? Date.parse(Expiration) : Number.NaN
  const sessionToken = typeof Token === 'string' ? Token : null
  return {
    value: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken },
    expiresAt: Number.isNaN(end) ? nowMs + unsaidLifetimeMs : end,
  }
}

function unavailable(message: string, cause?: unknown): GatewayError {
  return new GatewayError('dependency_unavailable', message, { cause })
}
