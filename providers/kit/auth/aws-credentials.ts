/**
 * The AWS credential that signs a call: the access key of the config or the stored credential, a role assumed with it
 * or with the gateway's own identity, that identity itself, or none. Only a stored credential
 * (`configurations.aws_auth_type`) can use the gateway's identity; a request cannot. Temporary credentials are cached
 * and renewed before they expire, one renewal at a time.
 * Errors: `invalid_config` for an incomplete credential; those of aws-ambient.ts and aws-sts.ts.
 */
import { readFile } from 'node:fs/promises'
import { GatewayError, type ProviderIo, type ProviderSettings } from '@gateway/contract'
import { ambientCredentials, type ReadTextFile } from './aws-ambient.ts'
import type { AwsEnvironment } from './aws-environment.ts'
import { accessKeyOf, configurationOf } from './aws-settings.ts'
import { assumeRole } from './aws-sts.ts'
import type { AwsCredentials } from './sigv4.ts'
import { createTokenCache, type Expiring } from './token-cache.ts'

/** The credential of a target in a region; null if it has none, and the call is then not signed. */
export type AwsCredentialSource = (
  settings: ProviderSettings,
  region: string,
  io: ProviderIo,
) => Promise<AwsCredentials | null>

/** Creates the credential source for a process with this environment. */
export function awsCredentials(
  environment: AwsEnvironment,
  readText: ReadTextFile = (path) => readFile(path, 'utf8'),
): AwsCredentialSource {
  const cache = createTokenCache<AwsCredentials>()

  const kept = (
    secrets: readonly unknown[],
    io: ProviderIo,
    renew: () => Promise<Expiring<AwsCredentials>>,
  ): Promise<AwsCredentials> => cache.get(secrets, io.now(), renew)

  const ownIdentity = async (region: string, io: ProviderIo): Promise<AwsCredentials> =>
    environment.keys ??
    kept(['own', region], io, () => ambientCredentials(region, environment, { io, readFile: readText }))

  return async function credentialsOf(settings, region, io) {
    const key = accessKeyOf(settings)
    const kind = configurationOf(settings, 'aws_auth_type')
    if (kind === 'serviceRole') return ownIdentity(region, io)
    if (kind !== 'assumedRole') return key ?? nothing(settings, kind)
    const roleArn = configurationOf(settings, 'aws_role_arn')
    if (roleArn === null) throw incomplete('configurations/aws_role_arn')
    const role = { roleArn, externalId: configurationOf(settings, 'aws_external_id'), region }
    return kept([role, key], io, async () =>
      assumeRole(role, key ?? (await ownIdentity(region, io)), { environment, io }),
    )
  }
}

/** Whether these settings use the process's own identity, or a role that it assumes. */
export function usesOwnAwsIdentity(settings: ProviderSettings): boolean {
  const kind = configurationOf(settings, 'aws_auth_type')
  return kind === 'serviceRole' || (kind === 'assumedRole' && accessKeyOf(settings) === null)
}

/** A call without any credential is sent unsigned; an incomplete credential is an error. */
function nothing(settings: ProviderSettings, kind: string | null): null {
  if (kind === 'accessKey') throw incomplete('configurations/aws_access_key_id')
  if (settings.cloudA_access_key_id) throw incomplete('cloudA_secret_access_key')
  if (settings.cloudA_secret_access_key) throw incomplete('cloudA_access_key_id')
  return null
}

function incomplete(param: string): GatewayError {
  return new GatewayError('invalid_config', `${param}: is required for an AWS credential.`, { param })
}
