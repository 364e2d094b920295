/**
 * The packages that a config file names, read before the file can be validated:
 * which provider names need no credential is only known once the packages are loaded.
 */

import { parseFileText } from './document.ts'
import type { Environment } from './environment.ts'
import { readFileText } from './read-file.ts'

export interface NamedPackages {
  packages: string[]
  disabled: string[]
}

/** `plugins.packages` and `plugins.disabled` of the file at `path`; empty where the file is wrong, which its validation reports. */
export async function peekPackages(path: string, environment: Environment): Promise<NamedPackages> {
  const text = await readFileText(path)
  if (typeof text !== 'string' || !canName(text)) return { packages: [], disabled: [] }
  const { value } = parseFileText(text, environment)
  const plugins = member(value, 'plugins')
  return { packages: texts(member(plugins, 'packages')), disabled: texts(member(plugins, 'disabled')) }
}

/** Reading a file twice is only worth it when there may be something: the key stands there as it is, or escaped. */
const canName = (text: string) => text.includes('plugins') || text.includes('\\')

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : []
