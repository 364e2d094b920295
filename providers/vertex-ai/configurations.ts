/** The `configurations` of a stored credential for Vertex AI. */
import { type TSchema, Type } from '@sinclair/typebox'

const authTypes = ['basic', 'serviceAccount', 'workload'] as const

const name = () => Type.Optional(Type.String({ minLength: 1, maxLength: 128 }))

const authType = (type: (typeof authTypes)[number], required: string[]) => ({
  if: { required: ['vertex_auth_type'], properties: { vertex_auth_type: { const: type } } },
  then: { required },
})

export const configurations: TSchema = Type.Object(
  {
    vertex_auth_type: Type.Unsafe<(typeof authTypes)[number]>({ enum: [...authTypes] }),
    vertex_region: Type.String({ minLength: 1, maxLength: 63 }),
    vertex_project_id: name(),
    vertex_storage_bucket: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    storage_host: Type.Optional(Type.String({ pattern: '^https?://[^\\s?#]+$', maxLength: 2048 })),
    vertex_service_account_json: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  {
    additionalProperties: false,
    allOf: [
      authType('basic', ['vertex_project_id']),
      authType('serviceAccount', ['vertex_service_account_json']),
    ],
  },
)
