/**
 * Oracle Cloud settings of a stored credential: the signing key, the compartment and the serving mode. Without a
 * signing key `api_key` is a bearer token.
 * Reference: https://docs.oracle.com/iaas/Content/API/SDKDocs/sdkconfig.htm
 * Errors: `no_provider` for a region that is missing or not a valid name.
 */
import { GatewayError, type ProviderSettings } from '@gateway/contract'
import type { OciCredential } from '@gateway/provider-kit'
import { type Static, type TSchema, Type } from '@sinclair/typebox'

const optional = (maxLength = 512) => Type.Optional(Type.String({ minLength: 1, maxLength }))
const oneOf = <Value extends string>(...values: Value[]) =>
  Type.Optional(Type.Unsafe<Value>({ enum: values }))

const schema = Type.Object(
  {
    oracle_region: optional(60),
    oracle_tenancy: optional(),
    oracle_user: optional(),
    oracle_fingerprint: optional(),
    oracle_private_key: optional(20_000),
    oracle_key_passphrase: optional(),
    oracle_compartment_id: optional(),
    oracle_serving_mode: oneOf('ON_DEMAND', 'DEDICATED'),
    oracle_endpoint_id: optional(),
    oracle_api_format: oneOf('GENERIC', 'COHERE', 'COHEREV2'),
    oracle_api_version: optional(20),
  },
  {
    additionalProperties: false,
    // A signature needs all four.
    dependencies: {
      oracle_private_key: ['oracle_tenancy', 'oracle_user', 'oracle_fingerprint'],
    },
  },
)

/** The schema of a stored credential's `configurations`. */
export const configurations: TSchema = schema

export type OracleConfigurations = Partial<Static<typeof schema>>

/** The settings of a stored credential, validated when it was stored. */
export function oracleSettings(settings: ProviderSettings): OracleConfigurations {
  return (settings.configurations ?? {}) as OracleConfigurations
}

/** The signer; null without a complete credential. */
export function signerOf(settings: ProviderSettings): OciCredential | null {
  const { oracle_tenancy, oracle_user, oracle_fingerprint, oracle_private_key, oracle_key_passphrase } =
    oracleSettings(settings)
  if (!oracle_tenancy || !oracle_user || !oracle_fingerprint || !oracle_private_key) return null
  return {
    tenancy: oracle_tenancy,
    user: oracle_user,
    fingerprint: oracle_fingerprint,
    privateKey: oracle_private_key,
    passphrase: oracle_key_passphrase,
  }
}

/** The inference service of the stored region. */
export function baseUrl(settings: ProviderSettings): string {
  const { oracle_region: region, oracle_api_version: version = '20231130' } = oracleSettings(settings)
  if (region !== undefined && /^[a-z][a-z\d-]{1,30}[a-z\d]$/.test(region) && /^\d{8}$/.test(version)) {
    return `https://inference.generativeai.${region}.oci.oraclecloud.com/${version}`
  }
  throw new GatewayError(
    'no_provider',
    'The provider oracle requires a region (oracle_region) or a custom_host.',
  )
}
