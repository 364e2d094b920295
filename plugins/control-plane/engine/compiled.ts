/** A resource with its schemas and validators, made once when the control plane opens. */

import type { Fault, ServiceContext } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import type { Field, Resource } from './resource.ts'
import { answerSchema, createSchema, fieldsOf, updateSchema } from './schemas.ts'

type Check = (value: unknown) => readonly Fault[]

export interface CompiledResource {
  resource: Resource
  /** Of callers' bodies: every field, `name` among them. */
  fields: Readonly<Record<string, Field>>
  create: TSchema
  update: TSchema
  /** As documented: with selectors. */
  createDocument: TSchema
  answer: TSchema
  item: TSchema
  checkCreate: Check
  checkUpdate: Check
  /** Of one whole field, after merging. */
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
