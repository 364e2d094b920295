/**
 * Declares settings of the config file. Each is declared once, in `settings.ts`: its type with bounds, its description,
 * its default, and whether a change needs a restart. The schema for editors, the reference page, the messages, the
 * types, the completed file and the warning about a restart come from there.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import {
  type OptionalKind,
  type Static,
  type TObject,
  type TOptional,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { parseSize } from './size.ts'

/** `switch`: only switching it on or off needs a restart. Absent: a reload of the file applies a change. */
export type Restart = 'change' | 'switch'

interface Notes {
  restart?: Restart
}

export type WithDefault<Schema extends TSchema> = TOptional<Schema & { readonly default: Static<Schema> }>

/** Declares a setting. Without a default, it is null in a completed file that omits it. */
export function setting<Schema extends TSchema>(
  schema: Schema,
  description: string,
  notes: Notes & { default: Static<Schema> },
): WithDefault<Schema>
export function setting<Schema extends TSchema>(
  schema: Schema,
  description: string,
  notes?: Notes,
): TOptional<Schema>
export function setting(schema: TSchema, description: string, notes: Notes = {}): TSchema {
  return Type.Optional({ ...schema, description, ...notes })
}

type Value<Schema> = Schema extends { readonly unit: 'bytes' }
  ? number
  : Schema extends { readonly properties: infer Members }
    ? CompletedMembers<Members>
    : Schema extends TSchema
      ? Static<Schema>
      : never

type CompletedMembers<Members> = {
  [Name in keyof Members]: Members[Name] extends { readonly default: unknown }
    ? Value<Members[Name]>
    : Members[Name] extends { [OptionalKind]: 'Optional' }
      ? Value<Members[Name]> | null
      : Value<Members[Name]>
}

/** Completes a section: every member has its value (sizes in bytes), otherwise its default, otherwise null. */
export type Completed<Section extends TObject> = CompletedMembers<Section['properties']>

/** @param written valid by the schema; undefined for a section that the file omits */
export function completed<Section extends TObject>(schema: Section, written: unknown): Completed<Section> {
  // Built from the same properties as the type.
  return completeMembers(schema.properties, isObject(written) ? written : {}) as Completed<Section>
}

function completeMembers(members: Readonly<Record<string, TSchema>>, written: JsonObject): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [
      name,
      // A copy, because the schema outlives every reading of the file.
      completeValue(schema, written[name] ?? structuredClone(schema.default)),
    ]),
  )
}

function completeValue(schema: TSchema, value: unknown): unknown {
  if (value === undefined) return null
  if (schema.unit === 'bytes') return parseSize(value as string | number)
  return hasMembers(schema) && isObject(value) ? completeMembers(schema.properties, value) : value
}

const hasMembers = (
  schema: TSchema,
): schema is TSchema & { readonly properties: Readonly<Record<string, TSchema>> } =>
  isObject(schema.properties)

/** The settings of a completed file whose changes need a restart, by their path: `/server/port`. */
export function restartSettings(
  schema: TSchema,
  value: unknown,
  path = '',
): Readonly<Record<string, unknown>> {
  if (schema.restart === 'change') return { [path]: value }
  if (schema.restart === 'switch') return { [path]: value !== null }
  if (!hasMembers(schema)) return {}
  const members = Object.entries(schema.properties)
  return Object.assign(
    {},
    ...members.map(([name, member]) =>
      restartSettings(member, isObject(value) ? value[name] : null, `${path}/${name}`),
    ),
  )
}
