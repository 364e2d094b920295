/** The schemas as files, for editors and other tools: the whole config file, and one routing config. */
import { isObject } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import { createConfigSchema } from '../schema.ts'
import { propertyDescriptions } from './descriptions.ts'
import { createFileSchema } from './schema.ts'

export interface PublishedSchema {
  /** File name. */
  name: string
  text: string
}

/**
 * Writes both schemas; deterministic.
 * @param keyless names of the providers that need no credential
 */
export function publishSchemas(keyless: readonly string[]): PublishedSchema[] {
  const config = createConfigSchema([...keyless].sort())
  return [
    render('gateway.schema.json', 'The config file of the gateway', createFileSchema(config)),
    render('routing.schema.json', 'A routing config: x-gateway-config, and the saved configs', config),
  ]
}

function render(name: string, title: string, schema: TSchema): PublishedSchema {
  const published = { $schema: 'http://json-schema.org/draft-07/schema#', title, ...schema }
  return { name, text: `${JSON.stringify(forEditors(describe(published, '')), null, 2)}\n` }
}

/** Adds a description to every property without one. */
function describe(value: unknown, parent: string): unknown {
  if (Array.isArray(value)) return value.map((item) => describe(item, parent))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === 'properties' && isObject(child) ? describeMembers(child, parent) : describe(child, parent),
    ]),
  )
}

function describeMembers(members: Record<string, unknown>, parent: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const described = describe(member, name)
      const description = propertyDescriptions[`${parent}.${name}`] ?? propertyDescriptions[name]
      const isBare = isObject(described) && described.description === undefined && description !== undefined
      return [name, isBare ? { description, ...described } : described]
    }),
  )
}

/** The gateway reads fault messages from `explain`, editors from `errorMessage`. */
function forEditors(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forEditors)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key === 'explain' && typeof child === 'string' ? 'errorMessage' : key,
      forEditors(child),
    ]),
  )
}
