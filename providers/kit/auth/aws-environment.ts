/**
 * AWS settings in the process's environment, read once: keys, a role by web identity, the credential services of
 * container and machine, the address of STS.
 * Reference: https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html
 * Errors: `invalid_config` for an invalid region name.
 */
import { GatewayError, type ProviderSettings } from '@gateway/contract'
import { configurationOf } from './aws-settings.ts'
import type { AwsCredentials } from './sigv4.ts'

export interface AwsEnvironment {
  region: string | null
  keys: AwsCredentials | null
  /** A role assumed with a token file, as on EKS. */
  webIdentity: { roleArn: string; tokenFile: string; sessionName: string } | null
  /** The container's credentials, as on ECS and EKS. */
  container: { url: string; token: string | null; tokenFile: string | null } | null
  /** The machine's metadata service, without a trailing slash; null when it is disabled. */
  metadataUrl: string | null
  /** Replaces the region's own STS, without a trailing slash. */
  stsUrl: string | null
}

const sessionName = 'gateway'
const containerHost = 'http://169.254.170.2'
const metadataHost = 'http://169.254.169.254'

/** Reads the relevant variables. */
export function readAwsEnvironment(variables: Readonly<Record<string, string | undefined>>): AwsEnvironment {
  const value = (name: string): string | null => variables[name]?.trim() || null
  return {
    region: value('AWS_REGION'),
    keys: keysOf(value),
    webIdentity: webIdentityOf(value),
    container: containerOf(value),
    metadataUrl:
      value('AWS_EC2_METADATA_DISABLED')?.toLowerCase() === 'true'
        ? null
        : trimSlash(value('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? metadataHost),
    stsUrl: trimSlash(value('AWS_ENDPOINT_URL_STS') ?? '') || null,
  }
}

type Variable = (name: string) => string | null

function keysOf(value: Variable): AwsCredentials | null {
  const accessKeyId = value('AWS_ACCESS_KEY_ID')
  const secretAccessKey = value('AWS_SECRET_ACCESS_KEY')
  if (accessKeyId === null || secretAccessKey === null) return null
  return { accessKeyId, secretAccessKey, sessionToken: value('AWS_SESSION_TOKEN') }
}

function webIdentityOf(value: Variable): AwsEnvironment['webIdentity'] {
  const roleArn = value('AWS_ROLE_ARN')
  const tokenFile = value('AWS_WEB_IDENTITY_TOKEN_FILE')
  if (roleArn === null || tokenFile === null) return null
  return { roleArn, tokenFile, sessionName: value('AWS_ROLE_SESSION_NAME') ?? sessionName }
}

function containerOf(value: Variable): AwsEnvironment['container'] {
  const relative = value('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI')
  const url = relative === null ? value('AWS_CONTAINER_CREDENTIALS_FULL_URI') : containerHost + relative
  if (url === null) return null
  return {
    url,
    token: value('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
    tokenFile: value('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
  }
}

const trimSlash = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url)

const defaultRegion = 'us-east-1'

/**
 * The region of a call: from the config, the stored credential or the environment, otherwise the vendor's first region.
 */
export function awsRegion(settings: ProviderSettings, environment: AwsEnvironment): string {
  const region =
    settings.cloudA_region ?? configurationOf(settings, 'aws_region') ?? environment.region ?? defaultRegion
  // It becomes part of a host name.
  if (/^[a-z]{2,10}(?:-[a-z]{2,20}){1,4}-\d{1,2}$/.test(region)) return region
  throw new GatewayError('invalid_config', `cloudA_region: "${region.slice(0, 60)}" is not a region.`, {
    param: 'cloudA_region',
  })
}

/** The domain of a region's services. */
export function awsDomain(region: string): string {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn'
  return region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com'
}
