/**
 * Which AWS credential a call is signed with: the config's or the stored credential's access key, a role that is
 * assumed with it or with the gateway's own identity, that identity itself, or none. Only a stored credential
 * (`configurations.aws_auth_type`) lends the gateway's identity; a request cannot. Temporary credentials are kept and
 * renewed before they end, one renewal at a time.
 * Errors: `invalid_config` for half a credential; those of aws-ambient.ts and aws-sts.ts.
 */
import { readFile } from 'node:fs/promises'
import { GatewayError, type ProviderIo, type ProviderSettings } from '@gateway/contract'
import { ambientCredentials, type ReadTextFile } from './aws-ambient.ts'
import type { AwsEnvironment } from './aws-environment.ts'
import { accessKeyOf, configurationOf } from './aws-settings.ts'
import { assumeRole } from './aws-sts.ts'
import type { AwsCredentials } from './sigv4.ts'
import { createTokenCache, type Expiring } from './token-cache.ts'

/** The credential of a target in a region; null when it has none, and the call goes unsigned. */
export type AwsCredentialSource = (
  settings: ProviderSettings,
  region: string,
  io: ProviderIo,
) => Promise<AwsCredentials | null>

/** Makes the source of credentials of one process's environment. */
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
    environment.keys ?? kept(['own', region], io, () => ambientCredentials(region, environment, io, readText))

  return async function credentialsOf(settings, region, io) {
    const key = accessKeyOf(settings)
    const kind = configurationOf(settings, 'aws_auth_type')
    if (kind === 'serviceRole') return ownIdentity(region, io)
    if (kind !== 'assumedRole') return key ?? nothing(settings, kind)
    const roleArn = configurationOf(settings, 'aws_role_arn')
    if (roleArn === null) throw incomplete('configurations/aws_role_arn')
    const role = { roleArn, externalId: configurationOf(settings, 'aws_external_id'), region }
    return kept([role, key], io, async () =>
      assumeRole(role, key ?? (await ownIdentity(region, io)), environment, io),
    )
  }
}

/** Whether these settings sign with the identity that the process runs with, or with a role that it assumes. */
export function usesOwnAwsIdentity(settings: ProviderSettings): boolean {
  const kind = configurationOf(settings, 'aws_auth_type')
  return kind === 'serviceRole' || (kind === 'assumedRole' && accessKeyOf(settings) === null)
}

/** No credential at all is a call without one; half of one is a mistake. */
function nothing(settings: ProviderSettings, kind: string | null): null {
  if (kind === 'accessKey') throw incomplete('configurations/aws_access_key_id')
  if (settings.cloudA_access_key_id) throw incomplete('cloudA_secret_access_key')
  if (settings.cloudA_secret_access_key) throw incomplete('cloudA_access_key_id')
  return null
}

function incomplete(param: string): GatewayError {
  return new GatewayError('invalid_config', `${param}: an AWS credential needs it.`, { param })
}
