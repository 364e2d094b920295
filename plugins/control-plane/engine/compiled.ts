/** A resource with its schemas and validators, compiled once when the control plane starts. */

import type { Fault, ServiceContext } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import type { Field, Resource } from './resource.ts'
import { answerSchema, createSchema, fieldsOf, updateSchema } from './schemas.ts'

type Check = (value: unknown) => readonly Fault[]

export interface CompiledResource {
  resource: Resource
  /** The schema of callers' bodies: every field, including `name`. */
  fields: Readonly<Record<string, Field>>
  create: TSchema
  update: TSchema
  /** The documented schema, which includes the selectors. */
  createDocument: TSchema
  answer: TSchema
  item: TSchema
  checkCreate: Check
  checkUpdate: Check
  /** The schema of one complete field after merging. */
  checkField: ReadonlyMap<string, Check>
}

export function compileResource(resource: Resource, context: ServiceContext): CompiledResource {
  const fields = fieldsOf(resource)
  const create = createSchema(resource, false)
  const update = updateSchema(resource)
  const merged = Object.entries(fields).filter(([, { merge = 'replace' }]) => merge !== 'replace')
  return {
    resource,
    fields,
    create,
    update,
    createDocument: createSchema(resource, true),
    answer: answerSchema(resource, true),
    item: answerSchema(resource, false),
    checkCreate: context.validator(create, 'invalid_body'),
    checkUpdate: context.validator(update, 'invalid_body'),
    checkField: new Map(
      merged.map(([name, { schema }]) => [name, context.validator(schema, 'invalid_body', `/${name}`)]),
    ),
  }
}
