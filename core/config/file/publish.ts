/** The schemas as files, for editors and other tools: the whole config file, and one routing config. */
import type { TSchema } from '@sinclair/typebox'
import { createConfigSchema } from '../schema.ts'
import { createFileSchema } from './schema.ts'

export interface PublishedSchema {
  /** File name. */
  name: string
  text: string
}

/**
 * Writes both schemas; the same input gives the same text.
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
  return { name, text: `${JSON.stringify(forEditors(published), null, 2)}\n` }
}

/** What a fault should say is `explain` in the gateway and `errorMessage` in editors. */
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
