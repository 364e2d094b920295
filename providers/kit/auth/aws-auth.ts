/**
 * Authorizes a call to an AWS service: with a service's API key as a bearer token, otherwise with Signature Version 4.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html
 * Errors: those of aws-credentials.ts and aws-environment.ts.
 */
import type { ProviderSettings } from '@gateway/contract'
import type { AwsCredentialSource } from './aws-credentials.ts'
import { type AwsEnvironment, awsRegion } from './aws-environment.ts'
import { configurationOf } from './aws-settings.ts'
import { type Auth, addHeaders, credentialOf } from './credential.ts'
import { signRequest } from './sigv4.ts'

export interface AwsAuthOptions {
  /** The service's name in the signature, such as `bedrock`. */
  service: string
  environment: AwsEnvironment
  credentials: AwsCredentialSource
}

/** Signs the final request, or adds the API key. Without a credential the request is sent unsigned. */
export function awsAuth({ service, environment, credentials }: AwsAuthOptions): Auth {
  return async function signedAuth(request, settings, io) {
    const key = apiKeyOf(settings)
    if (key !== null) return addHeaders(request, { authorization: `Bearer ${key}` })
    const region = awsRegion(settings, environment)
    const found = await credentials(settings, region, io)
    if (found === null) return request
    // The signature covers the bytes that are sent.
    const url = new URL(request.url).href
    return signRequest({ ...request, url }, { credentials: found, region, service, nowMs: io.now() })
  }
}

/** The API key, unless the settings contain an access key or the stored credential has another auth type. */
function apiKeyOf(settings: ProviderSettings): string | null {
  const kind = configurationOf(settings, 'aws_auth_type')
  if (kind !== null && kind !== 'apiKey') return null
  if (kind === null && (settings.cloudA_access_key_id || settings.cloudA_secret_access_key)) return null
  return credentialOf(settings)
}
