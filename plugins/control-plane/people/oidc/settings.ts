/** `auth_settings.oidc` of an organisation, with its secret decrypted. */
import { isObject, type ServiceContext, type StoredDocument } from '@gateway/contract'
import { authSettings, type OrganisationData } from '@gateway/domain'
import { openSecrets } from '../../engine/index.ts'

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string | null
  scopes: string
  tokenEndpointAuthMethod: string
  roleClaim: string | null
  /** An address counts as verified unless the token denies it. */
  trustsEmail: boolean
}

/** Null if the organisation has no single sign-on. */
export function oidcSettings(
  { sealer }: ServiceContext<'sealer'>,
  organisation: StoredDocument<OrganisationData>,
): OidcSettings | null {
  const { oidc } = authSettings(organisation.data)
  if (!isObject(oidc) || typeof oidc.issuer !== 'string' || typeof oidc.client_id !== 'string') return null
  const secret = openSecrets(organisation, sealer).client_secret
  return {
    issuer: oidc.issuer,
    clientId: oidc.client_id,
    clientSecret: typeof secret === 'string' ? secret : null,
    scopes: String(oidc.scopes),
    tokenEndpointAuthMethod: String(oidc.token_endpoint_auth_method),
    roleClaim: typeof oidc.role_claim === 'string' ? oidc.role_claim : null,
    trustsEmail: oidc.trust_email === true,
  }
}
