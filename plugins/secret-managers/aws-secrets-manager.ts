/**
 * AWS Secrets Manager: the current version of a secret, by its name or ARN. A binary secret is read as UTF-8 text. The
 * address consists only of the region (whose form is checked) and the environment, so it may be a private endpoint of
 * the gateway's own network.
 * Reference: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 * Errors: `dependency_unavailable`.
 */
import {
  GatewayError,
  type JsonObject,
  type ProviderFetch,
  type ProviderFetchAnswer,
  type ProviderIo,
  type SecretManager,
} from '@gateway/contract'
import { awsCredentials, awsDomain, awsRegion, readAwsEnvironment, signRequest } from '@gateway/provider-kit'
import { Type } from '@sinclair/typebox'
import { credentialFor, readObject, refused, unreadable } from './answers.ts'
import { authConfigOf, optionalText } from './settings.ts'

export interface AwsSecretsManagerOptions {
  /** Default: the process's environment. `AWS_ENDPOINT_URL_SECRETS_MANAGER` (or `AWS_ENDPOINT_URL`) replaces the region's own address. */
  environment?: Readonly<Record<string, string | undefined>>
}

const title = 'AWS Secrets Manager'

const authConfig = authConfigOf(
  'aws_auth_type',
  {
    accessKey: ['aws_access_key_id', 'aws_secret_access_key', 'aws_region'],
    assumedRole: ['aws_role_arn', 'aws_region'],
    serviceRole: [],
  },
  {
    aws_access_key_id: optionalText(256),
    aws_secret_access_key: optionalText(1024),
    aws_role_arn: optionalText(),
    aws_external_id: optionalText(1224),
    aws_region: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2,10}(?:-[a-z]{2,20}){1,4}-\\d{1,2}$',
        explain: 'must be a region such as eu-west-1',
      }),
    ),
  },
)

/** Creates the manager for a process environment. */
export function awsSecretsManager({
  environment = process.env,
}: AwsSecretsManagerOptions = {}): SecretManager {
  const aws = readAwsEnvironment(environment)
  const credentials = awsCredentials(aws)
  const written = environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? environment.AWS_ENDPOINT_URL
  const endpoint = written?.trim().replace(/\/$/, '') || null

  async function signedRequest(
    configurations: JsonObject,
    secretPath: string,
    io: ProviderIo,
  ): Promise<ProviderFetch> {
    const settings = { provider: 'aws_sm', configurations }
    const region = awsRegion(settings, aws)
    const found = await credentials(settings, region, io)
    if (found === null)
      throw new GatewayError(
        'dependency_unavailable',
        `${title} needs a credential: set aws_auth_type in auth_config, with the keys of that type.`,
      )
    const url = `${endpoint ?? `https://secretsmanager.${region}.${awsDomain(region)}`}/`
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.GetSecretValue',
    }
    const body = JSON.stringify({ SecretId: secretPath })
    const signed = signRequest(
      { method: 'POST', url, headers, body },
      { credentials: found, region, service: 'secretsmanager', nowMs: io.now() },
    )
    return { method: 'POST', url, headers: signed.headers, body, isAmbient: true }
  }

  return {
    type: 'aws_sm',
    title,
    authConfig,
    secretFields: ['aws_access_key_id', 'aws_secret_access_key'],
    urlField: null,
    async fetch(configurations, secretPath, io) {
      const request = await credentialFor(title, () => signedRequest(configurations, secretPath, io))
      return readSecret(await io.fetch(request))
    },
  }
}

function readSecret(answer: ProviderFetchAnswer): string | null {
  const body = readObject(answer)
  if (answer.status !== 200) return absenceOf(answer, body)
  if (typeof body.SecretString === 'string') return body.SecretString
  if (typeof body.SecretBinary === 'string') return Buffer.from(body.SecretBinary, 'base64').toString('utf8')
  throw unreadable(title)
}

/** Null for a secret that does not exist or is scheduled for deletion; everything else is a refusal. */
function absenceOf({ status, headers }: ProviderFetchAnswer, body: JsonObject): null {
  const written = headers['x-amzn-errortype'] ?? body.__type
  const type = typeof written === 'string' ? (written.split(':')[0]?.split('#').at(-1) ?? '') : ''
  if (type === 'ResourceNotFoundException') return null
  const said = [body.message, body.Message].find((text) => typeof text === 'string')
  if (type === 'InvalidRequestException' && typeof said === 'string' && /deletion|deleted/i.test(said))
    return null
  throw refused(title, status, type)
}
