/** The credential members that config targets, stored credentials and request headers may have. */
import { Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const text = (options: object = {}) => Type.Optional(Type.String({ minLength: 1, ...options }))

const deployment = Type.Object(
  {
    deployment_id: Type.String({ minLength: 1 }),
    alias: Type.String({ minLength: 1 }),
    api_version: Type.String({ minLength: 1 }),
    is_default: Type.Optional(Type.Boolean()),
  },
  closed,
)

export const credentialKeys = {
  api_key: text(),
  custom_host: text({ maxLength: 2048 }),
  resource_name: text(),
  deployment_id: text(),
  api_version: text(),
  deployments: Type.Optional(Type.Array(deployment, { minItems: 1 })),
  cloudA_access_key_id: text(),
  cloudA_secret_access_key: text(),
  cloudA_region: text(),
  cloudA_session_token: text(),
  compat_organization: text(),
  compat_project: text(),
  cloudC_project_id: text(),
  cloudC_region: text(),
  cloudC_service_account_json: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  cloudB_region: text(),
  cloudB_deployment_name: text(),
  cloudB_endpoint_name: text(),
  cloudB_api_version: text(),
  cloudB_deployment_type: Type.Optional(
    Type.Unsafe<'serverless' | 'managed'>({ enum: ['serverless', 'managed'] }),
  ),
  cloudB_entra_scope: text(),
}

/** The header that carries a credential key, without the prefix: `resource-name`. */
export const credentialHeader = (key: string): string => key.toLowerCase().replaceAll('_', '-')
