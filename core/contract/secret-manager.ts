/**
 * The contract of a secret manager: fetches the values of secret references. A package with `"gateway": {"kind":
 * "secret-manager", "contract": 1}` default-exports a {@link SecretManagerPlugin}.
 */
import type { TSchema } from '@sinclair/typebox'
import type { JsonObject } from './json.ts'
import type { ProviderIo } from './provider.ts'

export interface SecretManager {
  /** The value of `manager_type` that selects it. */
  type: string
  title: string
  /** The schema of `auth_config`, including secrets. */
  authConfig: TSchema
  /** Secret members of `auth_config`. */
  secretFields: readonly string[]
  /** The member of `auth_config` that contains a URL, which the host guard checks. */
  urlField: string | null
  /**
   * The secret's text: JSON when the manager stores several members. Null when the secret does not exist. Errors:
   * `dependency_unavailable` when the manager is unreachable or refuses the credentials.
   */
  fetch(authConfig: JsonObject, secretPath: string, io: ProviderIo): Promise<string | null>
}

export interface SecretManagerPlugin {
  name: string
  title: string
  managers: readonly SecretManager[]
}
