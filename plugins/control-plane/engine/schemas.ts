/** The TypeBox schemas of a resource's bodies, query and answers. */

import { isObject } from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'
import type { AnyResource, Field } from './resource.ts'
import { slugSchema } from './slug.ts'

export const nullable = (schema: TSchema): TSchema =>
  schema.type === 'null' ? schema : Type.Union([schema, Type.Null()])

export const timestamp = Type.String({ description: 'ISO 8601, UTC, with milliseconds' })
export const description = Type.String({ maxLength: 1024 })
export const nameSchema = Type.String({ minLength: 1, maxLength: 255 })

/** The schema of a query parameter: one or more of these names, separated by commas. */
export function commaListOf(...names: readonly string[]): TSchema {
  const one = `\\s*(?:${names.join('|')})\\s*`
  return Type.String({
    pattern: `^${one}(?:,${one})*$`,
    explain: `must be a comma-separated list of ${names.join(', ')}`,
  })
}

/** Whether `null` clears a field. */
const isNullable = (field: Field): boolean =>
  field.isNullable ??
  (field.isRequired !== true && field.isTransient !== true && (field.default ?? null) === null)

/** All fields that callers write, including `name`. */
export function fieldsOf(
  resource: Pick<AnyResource, 'fields' | 'hasCommonFields'>,
): Readonly<Record<string, Field>> {
  if (resource.hasCommonFields === false || resource.fields.name !== undefined) return resource.fields
  return { name: { schema: nameSchema, isRequired: true }, ...resource.fields }
}

const wholeValue = (field: Field): TSchema => (isNullable(field) ? nullable(field.schema) : field.schema)

const isAt = ({ writable = 'always' }: Field, moment: 'create' | 'update') =>
  writable === 'always' || writable === moment

const selectors = {
  organisation_id: Type.Optional(Type.String()),
  workspace_id: Type.Optional(Type.String()),
}

/** The body of POST. Selectors are for the OpenAPI document only: the engine reads them first. */
export function createSchema(resource: AnyResource, hasSelectors: boolean): TSchema {
  const members: Record<string, TSchema> = {}
  for (const [name, field] of Object.entries(fieldsOf(resource))) {
    if (!isAt(field, 'create')) continue
    members[name] = field.isRequired === true ? wholeValue(field) : Type.Optional(wholeValue(field))
  }
  if (resource.slug !== null) members.slug = Type.Optional(slugSchema)
  if (hasSelectors) {
    members.organisation_id = selectors.organisation_id
    if (resource.level !== 'organisation') members.workspace_id = selectors.workspace_id
  }
  return Type.Object(members, { additionalProperties: false })
}

/** The body of PUT and PATCH, without read-only fields. */
export function updateSchema(resource: AnyResource): TSchema {
  const members: Record<string, TSchema> = {}
  for (const [name, field] of Object.entries(fieldsOf(resource))) {
    if (!isAt(field, 'update')) continue
    const schema = field.merge === undefined || field.merge === 'replace' ? field.schema : partial(field)
    members[name] = Type.Optional(isNullable(field) ? nullable(schema) : schema)
  }
  if (resource.writableStatuses !== undefined) {
    members.status = Type.Optional(
      Type.Union(resource.writableStatuses.map((status) => Type.Literal(status))),
    )
  }
  return Type.Object(members, { additionalProperties: false })
}

/** An object whose members are all optional and may be null, which removes them. `two`: the same for its objects. */
function partial({ schema, merge, replaced = [] }: Field): TSchema {
  return loosen(schema, merge === 'two' ? 2 : 1, replaced)
}

function loosen(schema: TSchema, depth: number, replaced: readonly string[]): TSchema {
  if (depth === 0 || schema.type !== 'object' || !isObject(schema.properties)) return schema
  const properties: Record<string, TSchema> = {}
  for (const [name, member] of Object.entries(schema.properties as Record<string, TSchema>)) {
    const inner = replaced.includes(name) ? member : loosen(innerObject(member), depth - 1, [])
    properties[name] = Type.Optional(nullable(inner))
  }
  const { properties: _, required: __, minProperties: ___, ...rest } = schema
  return Type.Object(properties, rest)
}

/** The object branch of `{…} | null`. */
function innerObject(schema: TSchema): TSchema {
  const branches: unknown = schema.anyOf
  if (!Array.isArray(branches)) return schema
  const [object, ...more] = (branches as TSchema[]).filter(({ type }) => type !== 'null')
  return object !== undefined && more.length === 0 ? object : schema
}

const lists = {
  current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  sort: Type.Optional(
    Type.Union([Type.Literal('created_at'), Type.Literal('last_updated_at'), Type.Literal('name')]),
  ),
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')])),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  status: Type.Optional(Type.String()),
  ids: Type.Optional(Type.String()),
  organisation_id: Type.Optional(Type.String()),
}

/** The query of the list route, in the types of its values. */
export function listQuerySchema(resource: Pick<AnyResource, 'filters' | 'level'>): TSchema {
  const own = Object.fromEntries(
    Object.entries(resource.filters ?? {}).map(([name, { schema }]) => [name, Type.Optional(schema)]),
  )
  const workspace = resource.level === 'organisation' ? {} : { workspace_id: Type.Optional(Type.String()) }
  return Type.Object({ ...lists, ...workspace, ...own })
}

/** The query of routes for one object. */
export const oneQuerySchema = Type.Object({
  organisation_id: Type.Optional(Type.String()),
  workspace_id: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
})

export function answerSchema(resource: AnyResource, isComplete: boolean): TSchema {
  const members: Record<string, TSchema> = { id: Type.String(), object: Type.Literal(resource.object) }
  const stays = (schema: TSchema) => (isComplete ? schema : Type.Optional(schema))
  if (resource.hasCommonFields !== false) {
    Object.assign(members, {
      slug: nullable(Type.String()),
      organisation_id: Type.String(),
      ...(resource.level === 'organisation' ? {} : { workspace_id: nullable(Type.String()) }),
      status: Type.String(),
      source: Type.Union([Type.Literal('api'), Type.Literal('file')]),
      owner_id: nullable(Type.String()),
      updated_by: nullable(Type.String()),
      created_at: timestamp,
      last_updated_at: timestamp,
    })
  }
  for (const [name, field] of Object.entries(fieldsOf(resource))) {
    if (field.isTransient === true) continue
    if (field.secret === true) members[`masked_${name}`] = stays(nullable(Type.String()))
    else members[name] = stays(field.answer ?? nullable(field.schema))
  }
  for (const [name, schema] of Object.entries(resource.answers ?? {})) members[name] = Type.Optional(schema)
  const { operation } = resource
  // The schema's name in the OpenAPI document.
  const title = `${operation.charAt(0).toUpperCase()}${operation.slice(1)}${isComplete ? '' : 'Item'}`
  return Type.Object(members, { additionalProperties: false, title })
}

export const listSchema = (item: TSchema, more: Record<string, TSchema> = {}): TSchema =>
  Type.Object(
    {
      object: Type.Literal('list'),
      total: Type.Integer(),
      current_page: Type.Integer(),
      page_size: Type.Integer(),
      has_more: Type.Boolean(),
      data: Type.Array(item),
      ...more,
    },
    { additionalProperties: false },
  )

export const deletedSchema = (object: string): TSchema =>
  Type.Object(
    { id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) },
    { additionalProperties: false },
  )
