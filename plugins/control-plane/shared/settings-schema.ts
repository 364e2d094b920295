/** The schemas of an organisation's `settings`, and of those that a workspace may override (management.md §5). */

import { categoryOf, overrideCategories, securityDefaults } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { nullable } from '../engine/index.ts'
import { allowedIpsSchema } from './allowed-ips.ts'

const optional = (schema: TSchema) => Type.Optional(nullable(schema))
const oneOf = (...values: string[]) => Type.Unsafe<string>({ type: 'string', enum: values })

const booleans = (names: readonly string[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, optional(Type.Boolean())])), {
    additionalProperties: false,
  })

const exportFields = [
  ...['id', 'trace_id', 'created_at', 'request', 'response', 'is_success', 'ai_org', 'ai_model', 'req_units'],
  ...['res_units', 'total_units', 'request_url', 'cost', 'cost_currency', 'response_time'],
  ...['response_status_code', 'mode', 'config', 'prompt_slug', 'metadata'],
]

const exportSettings = Type.Object(
  { deniedFields: optional(Type.Array(oneOf(...exportFields), { maxItems: 50 })) },
  { additionalProperties: false },
)

const userKeySettings = {
  user_api_key_auto_create: optional(Type.Boolean()),
  user_api_key_ttl: optional(Type.Integer({ minimum: 3600 })),
  user_api_key_rotation_period: optional(oneOf('weekly', 'monthly')),
  user_api_key_limit: optional(Type.Integer({ minimum: 1 })),
}

/** A JSON Schema of metadata; it is validated further when it is saved. */
const metadataSchema = Type.Object({ type: Type.Literal('object') }, { additionalProperties: true })
const days = Type.Integer({ minimum: 1, maximum: 3650 })

export const settingsSchema = Type.Object(
  {
    ...userKeySettings,
    default_workspace_user_api_key_auto_create: optional(Type.Boolean()),
    session_settings: optional(
      Type.Object(
        { max_session_ttl: optional(Type.Integer({ minimum: 900 })) },
        { additionalProperties: false },
      ),
    ),
    security_settings: optional(booleans(Object.keys(securityDefaults))),
    workspace_overrides: optional(Type.Array(oneOf(...overrideCategories), { uniqueItems: true })),
    export_settings: optional(exportSettings),
    metadata_schema: optional(
      Type.Object(
        { api_key: optional(metadataSchema), workspace: optional(metadataSchema) },
        { additionalProperties: false },
      ),
    ),
    allowed_ips: optional(allowedIpsSchema),
    retention: optional(
      Type.Object(
        { logs_days: optional(days), metrics_days: optional(days), audit_days: optional(days) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

const workspaceSecurity = Object.keys(securityDefaults).filter((name) => categoryOf(name) !== null)

export const workspaceSettingsSchema = Type.Object(
  {
    ...userKeySettings,
    security_settings: optional(booleans(workspaceSecurity)),
    export_settings: optional(exportSettings),
  },
  { additionalProperties: false },
)

const texts = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 20 }),
])
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const claimNames = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { minItems: 1, maxItems: 20 })
const url = Type.String({ minLength: 1, maxLength: 2048 })

const jwt = Type.Object(
  {
    enabled: optional(Type.Boolean()),
    jwks_uri: optional(url),
    jwks: optional(
      Type.Object({
        keys: Type.Array(Type.Object({}, { additionalProperties: true }), { maxItems: 100 }),
      }),
    ),
    issuer: optional(Type.String({ minLength: 1 })),
    audience: optional(texts),
    algorithms: optional(Type.Array(oneOf(...algorithms), { minItems: 1, uniqueItems: true })),
    clock_tolerance: optional(Type.Integer({ minimum: 0, maximum: 3600 })),
    max_token_age: optional(Type.Integer({ minimum: 1 })),
    cache_max_age: optional(Type.Integer({ minimum: 1 })),
    default_scopes: optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 500 })),
    claims: optional(
      Type.Object(
        {
          organisation: optional(claimNames),
          workspace: optional(claimNames),
          scopes: optional(claimNames),
          user: optional(claimNames),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

const oidc = Type.Object(
  {
    issuer: url,
    client_id: Type.String({ minLength: 1 }),
    client_secret: optional(Type.String({ minLength: 1 })),
    scopes: optional(Type.String({ minLength: 1 })),
    token_endpoint_auth_method: optional(oneOf('client_secret_basic', 'client_secret_post', 'none')),
    role_claim: optional(Type.String({ minLength: 1 })),
    trust_email: optional(
      Type.Boolean({
        description:
          'Every address from the identity provider counts as verified, even without `email_verified`. Set it only ' +
          'if the administrator of the identity provider controls all of its e-mail addresses.',
      }),
    ),
  },
  { additionalProperties: false },
)

const domain = Type.Object(
  {
    domain: Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$' }),
    allow_subdomains: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

export const authSettingsSchema = Type.Object(
  {
    allowed_domains: optional(Type.Array(domain, { maxItems: 100 })),
    jwt: optional(jwt),
    oidc: optional(oidc),
    disable_auto_provision_user: optional(Type.Boolean()),
    password_login: optional(Type.Boolean()),
    scim_settings: optional(
      Type.Object(
        {
          pattern_mapping: optional(Type.Boolean()),
          workspace_prefix: optional(Type.String()),
          role_separator: optional(Type.String()),
          group_based_user_provisioning: optional(Type.Boolean()),
          manage_only_by_scim: optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

const reference = Type.String({ minLength: 1, maxLength: 255 })
const references = optional(Type.Array(reference, { maxItems: 100 }))
const defaultsMembers = {
  metadata: optional(Type.Record(Type.String(), Type.String({ trim: false }))),
  config_id: optional(reference),
  allow_config_override: optional(Type.Boolean()),
  input_guardrails: references,
  output_guardrails: references,
}

/** `defaults` of organisations and keys. */
export const defaultsSchema = Type.Object(defaultsMembers, { additionalProperties: false })

/** `defaults` of workspaces. */
export const workspaceDefaultsSchema = Type.Object(
  { ...defaultsMembers, user_api_key_config: optional(reference) },
  { additionalProperties: false },
)
