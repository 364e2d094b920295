/**
 * The packages that a config file names, read before the file can be validated:
 * which provider names need no credential is only known once the packages are loaded.
 */
import type { Environment } from './environment.ts'
import { readFileText } from './file.ts'
import { parseFileText } from './file-document.ts'

export interface NamedPackages {
  packages: string[]
  disabled: string[]
}

/** `plugins.packages` and `plugins.disabled` of the file at `path`; empty where the file is wrong, which its validation reports. */
export async function peekPackages(path: string, environment: Environment): Promise<NamedPackages> {
  const text = await readFileText(path)
  const value = typeof text === 'string' ? parseFileText(text, environment).value : undefined
  const plugins = member(value, 'plugins')
  return { packages: texts(member(plugins, 'packages')), disabled: texts(member(plugins, 'disabled')) }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : []
