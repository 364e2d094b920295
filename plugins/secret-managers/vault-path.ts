/**
 * The location of a secret in Vault's API. A path is `MOUNT/PATH`, as on Vault's command line; for version 2 of the
 * key-value engine also `MOUNT/data/PATH`, as in the API. That is the only form for a mount with a slash in its name.
 * Reference: https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2#read-secret-version
 */

/** The API path below `/v1`, encoded; null if it cannot be the path of a secret. */
export function vaultPath(secretPath: string, kvVersion: 1 | 2): string | null {
  const segments = secretPath.replace(/^\/+/, '').split('/')
  if (
    segments.length < 2 ||
    segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  ) {
    return null
  }
  const [mount = '', ...rest] = segments
  const isApiPath = kvVersion === 1 || segments.slice(1, -1).includes('data')
  return (isApiPath ? segments : [mount, 'data', ...rest]).map(encodeURIComponent).join('/')
}
