/**
 * Reads the package names of a config file before it is validated: which providers need no credential is known only
 * once the packages are loaded.
 */

import { parseFileText } from './document.ts'
import type { Environment } from './environment.ts'
import { readFileText } from './read-file.ts'

export interface NamedPackages {
  packages: string[]
  disabled: string[]
}

/**
 * `plugins.packages` and `plugins.disabled` of the file at `path`; empty when the file is invalid, which validation
 * reports later.
 */
export async function peekPackages(path: string, environment: Environment): Promise<NamedPackages> {
  const text = await readFileText(path)
  if (typeof text !== 'string' || !canName(text)) return { packages: [], disabled: [] }
  const { value } = parseFileText(text, environment)
  const plugins = member(value, 'plugins')
  return { packages: texts(member(plugins, 'packages')), disabled: texts(member(plugins, 'disabled')) }
}

/** Parse the file a second time only when it may contain the key, plain or escaped. */
const canName = (text: string) => text.includes('plugins') || text.includes('\\')

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : []
