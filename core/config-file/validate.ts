/**
 * Validates a config file by its schema, section by section: schemas are slow to compile, so each section's is compiled
 * on first use. The result is the same as with the whole schema.
 */

import {
  createValidator,
  type ErrorObject,
  maxListedRecursiveNodes,
  type Validator,
} from '@gateway/validation'
import { type TSchema, Type } from '@sinclair/typebox'
import { createConfigSchema } from './routing-config.ts'
import { fileSections, sectionSchema } from './schema.ts'
import { bySlug } from './schema-limits.ts'

const compiled = new Map<string, Validator>()

function once(key: string, schema: () => TSchema): Validator {
  const known = compiled.get(key)
  if (known !== undefined) return known
  // It is the operator's own file, so all errors are reported at any cost.
  const validator = createValidator(schema(), Number.POSITIVE_INFINITY)
  compiled.set(key, validator)
  return validator
}

const uniqueNames = (names: readonly string[]) => [...new Set(names)].sort()

let latest: { key: string; validator: Validator } | null = null

/**
 * The validator of a routing config. Cached by the set of providers.
 * @param keyless names of the providers that need no credential
 */
export function configValidator(keyless: readonly string[]): Validator {
  const names = uniqueNames(keyless)
  const key = JSON.stringify(names)
  if (latest?.key !== key) {
    latest = { key, validator: createValidator(createConfigSchema(names), maxListedRecursiveNodes) }
  }
  return latest.validator
}

/** All schemas for files without `custom_providers`. */
export function fileSchemas(keyless: readonly string[]): TSchema[] {
  const sections = [...fileSections].filter((name) => name !== 'configs').map(sectionSchema)
  return [rootSchema(), bySlug(Type.Unknown()), ...sections, createConfigSchema(uniqueNames(keyless))]
}

/** The errors of a file, with paths from its root; null for a valid file. */
export function validateFile(value: unknown, keyless: readonly string[]): ErrorObject[] | null {
  const errors = once('', rootSchema)(value) ?? []
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, section] of Object.entries(value)) {
      if (fileSections.has(name)) errors.push(...validateSection(name, section, { file: value, keyless }))
    }
  }
  return errors.length === 0 ? null : errors
}

/** The top-level keys; their content is validated by section. */
const rootSchema = () =>
  Type.Object(Object.fromEntries([...fileSections].map((name) => [name, Type.Optional(Type.Unknown())])), {
    additionalProperties: false,
  })

function validateSection(
  name: string,
  section: unknown,
  { file, keyless }: { file: object; keyless: readonly string[] },
): ErrorObject[] {
  if (name !== 'configs') return below(`/${name}`, once(name, () => sectionSchema(name))(section))
  const errors = below('/configs', once(name, () => bySlug(Type.Unknown()))(section))
  if (typeof section !== 'object' || section === null || Array.isArray(section)) return errors
  const validate = configValidator([...keyless, ...customProviders(file)])
  for (const [id, config] of Object.entries(section)) {
    errors.push(...below(`/configs/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`, validate(config)))
  }
  return errors
}

/** A provider made from a row sends a credential if there is one, but does not require it. */
export function customProviders(file: { custom_providers?: unknown }): string[] {
  const rows = file.custom_providers
  return typeof rows === 'object' && rows !== null ? Object.keys(rows) : []
}

const below = (path: string, errors: ErrorObject[] | null): ErrorObject[] =>
  (errors ?? []).map((error) => ({ ...error, instancePath: path + error.instancePath }))
