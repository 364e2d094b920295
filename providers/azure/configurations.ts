/** The `configurations` of a stored credential for Azure. */
import { type TSchema, Type } from '@sinclair/typebox'
import { authModes, requiredKeys } from './identity.ts'

const text = (maxLength = 2048) => Type.Optional(Type.String({ minLength: 1, maxLength }))

const identityKeys = {
  azure_auth_mode: Type.Optional(Type.Unsafe<(typeof authModes)[number]>({ enum: [...authModes] })),
  azure_entra_tenant_id: text(),
  azure_entra_client_id: text(),
  azure_entra_client_secret: text(),
  azure_entra_scope: text(),
  azure_managed_client_id: text(),
  azure_workload_client_id: text(),
}

const mode = (name: (typeof authModes)[number], then: object) => ({
  if: { required: ['azure_auth_mode'], properties: { azure_auth_mode: { const: name } } },
  then,
})

/** The members that each mode requires; a federated client authenticates without a secret. */
const modeRules = {
  allOf: [
    mode('entra', { required: requiredKeys.entra }),
    mode('entraFederated', {
      required: requiredKeys.entraFederated,
      properties: { azure_entra_client_secret: false },
    }),
  ],
}

const closed = { additionalProperties: false, ...modeRules }

const deploymentConfig = Type.Object(
  {
    azure_deployment_name: Type.String({ minLength: 1 }),
    azure_api_version: Type.String({ minLength: 1, maxLength: 30 }),
    azure_model_slug: Type.String({ minLength: 1 }),
    alias: text(),
    is_default: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

export const openaiConfigurations: TSchema = Type.Object(
  {
    ...identityKeys,
    azure_resource_name: text(63),
    azure_api_version: text(30),
    azure_deployment_config: Type.Optional(Type.Array(deploymentConfig, { minItems: 1 })),
  },
  closed,
)

export const foundryConfigurations: TSchema = Type.Object(
  {
    ...identityKeys,
    azure_foundry_url: Type.Optional(Type.String({ pattern: '^https?://', maxLength: 2048 })),
    azure_api_version: text(30),
    azure_deployment_name: text(),
    azure_deployment_type: Type.Optional(
      Type.Unsafe<'serverless' | 'managed'>({ enum: ['serverless', 'managed'] }),
    ),
    azure_deployment_region: text(),
    azure_region: text(),
    azure_endpoint_name: text(),
    azure_extra_parameters: Type.Optional(
      Type.Unsafe<'drop' | 'error' | 'pass-through'>({ enum: ['drop', 'error', 'pass-through'] }),
    ),
  },
  closed,
)
