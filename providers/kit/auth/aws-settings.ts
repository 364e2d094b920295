/** The AWS credential of a config or a stored credential, with validated types. */
import type { ProviderSettings } from '@gateway/contract'
import type { AwsCredentials } from './sigv4.ts'

/** One text in a stored credential's `configurations`; null when it is not set. */
export function configurationOf(settings: ProviderSettings, name: string): string | null {
  const value = settings.configurations?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** The access key of the config, otherwise of the stored credential; null if neither is complete. */
export function accessKeyOf(settings: ProviderSettings): AwsCredentials | null {
  const { cloudA_access_key_id: id, cloudA_secret_access_key: secret, cloudA_session_token: token } = settings
  if (id && secret) return { accessKeyId: id, secretAccessKey: secret, sessionToken: token || null }
  const accessKeyId = configurationOf(settings, 'aws_access_key_id')
  const secretAccessKey = configurationOf(settings, 'aws_secret_access_key')
  if (accessKeyId === null || secretAccessKey === null) return null
  return { accessKeyId, secretAccessKey, sessionToken: configurationOf(settings, 'aws_session_token') }
}
