/** A resource with its schemas and validators. */

import type { Capability, Fault, JsonObject, ServiceContext } from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'
import type { AnyResource, Field, Resource } from './resource.ts'
import {
  answerSchema,
  createSchema,
  fieldsOf,
  listQuerySchema,
  listSchema,
  oneQuerySchema,
  updateSchema,
} from './schemas.ts'

type Check = (value: unknown) => readonly Fault[]

interface ResourceSchemas {
  /** The schema of callers' bodies: every field, including `name`. */
  fields: Readonly<Record<string, Field>>
  create: TSchema
  update: TSchema
  /** The documented schema, which includes the selectors. */
  createDocument: TSchema
  answer: TSchema
  list: TSchema
  listQuery: TSchema
  readQuery: TSchema
}

export interface CompiledResource<Need extends Capability = never> extends ResourceSchemas {
  resource: Resource<JsonObject, Need>
  checkCreate: Check
  checkUpdate: Check
  /** The schema of one complete field after merging. */
  checkField: ReadonlyMap<string, Check>
}

/** Schemas depend on the resource alone: a second gateway in the process uses them, and their validators, again. */
const schemasByResource = new WeakMap<AnyResource, ResourceSchemas>()

function schemasOf(resource: AnyResource): ResourceSchemas {
  const known = schemasByResource.get(resource)
  if (known !== undefined) return known
  const made: ResourceSchemas = {
    fields: fieldsOf(resource),
    create: createSchema(resource, false),
    update: updateSchema(resource),
    createDocument: createSchema(resource, true),
    answer: answerSchema(resource, true),
    list: listSchema(answerSchema(resource, false)),
    listQuery: listQuerySchema(resource),
    readQuery:
      resource.readQuery === undefined
        ? oneQuerySchema
        : Type.Object({ ...oneQuerySchema.properties, ...resource.readQuery }),
  }
  schemasByResource.set(resource, made)
  return made
}

export function compileResource<Need extends Capability>(
  resource: Resource<JsonObject, Need>,
  context: ServiceContext<'validator'>,
): CompiledResource<Need> {
  const schemas = schemasOf(resource)
  const merged = Object.entries(schemas.fields).filter(([, { merge = 'replace' }]) => merge !== 'replace')
  return {
    ...schemas,
    resource,
    checkCreate: context.validator(schemas.create, 'invalid_body'),
    checkUpdate: context.validator(schemas.update, 'invalid_body'),
    checkField: new Map(
      merged.map(([name, { schema }]) => [name, context.validator(schema, 'invalid_body', `/${name}`)]),
    ),
  }
}
