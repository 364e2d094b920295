/** The schemas as files, for editors and other tools: the whole config file, and one routing config. */
import { isObject } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import { propertyDescriptions } from './descriptions.ts'
import { createConfigSchema } from './routing-config.ts'
import { createFileSchema } from './schema.ts'
import type { Restart } from './setting.ts'

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

const restarts: Readonly<Record<Restart, string>> = {
  change: 'Takes effect at the next start.',
  switch: 'Switching it on or off takes effect at the next start.',
}

/**
 * The gateway reads error messages from `explain`, editors from `errorMessage`. Descriptions say which settings need a
 * restart.
 */
function forEditors(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forEditors)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]): [string, unknown][] => {
      // A property may have one of these names, too: then it is a schema.
      if (typeof child !== 'string') return [[key, forEditors(child)]]
      if (key === 'restart' || key === 'unit') return []
      if (key === 'explain') return [['errorMessage', child]]
      const note = key === 'description' ? restartNote(value.restart) : ''
      return [[key, `${child}${note}`]]
    }),
  )
}

const restartNote = (restart: unknown): string =>
  typeof restart === 'string' && restart in restarts ? ` ${restarts[restart as Restart]}` : ''
