/**
 * The contract of a secret manager: where a secret reference's value is fetched from.
 * A package with `"gateway": {"kind": "secret-manager", "contract": 1}` default-exports a {@link SecretManagerPlugin}.
 */
import type { TSchema } from '@sinclair/typebox'
import type { JsonObject } from './json.ts'
import type { ProviderIo } from './provider.ts'

export interface SecretManager {
  /** As `manager_type` names it. */
  type: string
  title: string
  /** Of `auth_config`, secrets included. */
  authConfig: TSchema
  /** Members of `auth_config` that are secret. */
  secretFields: readonly string[]
  /** The member of `auth_config` that is a URL, for the host guard. */
  urlField: string | null
  /**
   * The secret's text: JSON where the manager keeps several members.
   * Errors: `dependency_unavailable` when the manager is out of reach or refuses us; null when there is no such secret.
   */
  fetch(authConfig: JsonObject, secretPath: string, io: ProviderIo): Promise<string | null>
}

export interface SecretManagerPlugin {
  name: string
  title: string
  managers: readonly SecretManager[]
}
