/** The schemas of mappings and groups in the management API. */
import { listSchema, nullable } from '@gateway/control-plane/engine'
import { Type } from '@sinclair/typebox'

const name = Type.String({ minLength: 1, maxLength: 255 })
const nullableText = nullable(Type.String())

export const mappingBody = Type.Object(
  {
    workspace_id: Type.String({ minLength: 1, maxLength: 255 }),
    role: Type.String({ maxLength: 255, description: 'admin, manager or member, in any letter case.' }),
    scim_group_id: Type.Optional(nullable(name)),
    scim_group_name: Type.Optional(nullable(name)),
    organisation_id: Type.Optional(nullable(name)),
  },
  { additionalProperties: false },
)

export const mappingSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('scim-mapping'),
    name: nullableText,
    slug: nullableText,
    organisation_id: nullableText,
    workspace_id: Type.String(),
    scim_group: Type.String({ description: 'The name of the group.' }),
    scim_group_id: Type.String(),
    role: Type.String(),
    status: Type.String(),
    source: Type.String(),
    owner_id: nullableText,
    updated_by: nullableText,
    created_at: Type.String(),
    last_updated_at: Type.String(),
  },
  { additionalProperties: false },
)

export const mappingList = Type.Object(
  {
    ...listSchema(mappingSchema).properties,
    mappings: Type.Array(mappingSchema),
    total_count: Type.Integer(),
    page: Type.Integer(),
  },
  { additionalProperties: false },
)

export const deletedMapping = Type.Object({
  success: Type.Literal(true),
  id: Type.String(),
  deleted: Type.Literal(true),
})

const page = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 }))
const pageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 }))

export const listQuery = Type.Object({
  workspace_id: Type.Optional(name),
  scim_group_id: Type.Optional(name),
  role: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      pattern: '^([Aa][Dd][Mm][Ii][Nn]|[Mm][Aa][Nn][Aa][Gg][Ee][Rr]|[Mm][Ee][Mm][Bb][Ee][Rr])$',
      explain: 'must be admin, manager or member',
    }),
  ),
  page,
  current_page: page,
  page_size: pageSize,
})

export const groupQuery = Type.Object({
  search: Type.Optional(name),
  current_page: page,
  page_size: pageSize,
})

export const groupList = listSchema(
  Type.Object({
    id: Type.String(),
    display_name: Type.String(),
    external_id: nullableText,
    member_count: Type.Integer(),
    mappings: Type.Array(mappingSchema),
  }),
)
