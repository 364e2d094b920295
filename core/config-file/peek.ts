/**
 * Reads the package names of a config file before it is validated: which providers need no credential is known only
 * once the packages are loaded.
 */

import { formatOf, parseFileText } from './document.ts'
import type { Environment } from './environment.ts'
import type { Position } from './fault.ts'
import { readFileText } from './read-file.ts'

export interface NamedPackages {
  packages: string[]
  disabled: string[]
  /** The path at which the file names each package. */
  places: ReadonlyMap<string, PackagePlace>
}

interface PackagePlace extends Position {
  /** `/plugins/packages/0`. */
  param: string
}

/**
 * `plugins.packages` and `plugins.disabled` of the file at `path`; empty when the file is invalid, which validation
 * reports later.
 */
export async function peekPackages(path: string, environment: Environment): Promise<NamedPackages> {
  const text = await readFileText(path)
  if (typeof text !== 'string' || !canName(text)) return { packages: [], disabled: [], places: new Map() }
  const { value, locate } = parseFileText(text, environment, formatOf(path))
  const plugins = member(value, 'plugins')
  const written = member(plugins, 'packages')
  const packages = texts(written)
  const places = new Map(
    packages.map((name): [string, PackagePlace] => {
      const param = `/plugins/packages/${(written as unknown[]).indexOf(name)}`
      return [name, { param, ...locate(param) }]
    }),
  )
  return { packages, disabled: texts(member(plugins, 'disabled')), places }
}

/** The file is parsed a second time only if it may contain the key, plain or escaped. */
const canName = (text: string) => text.includes('plugins') || text.includes('\\')

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : []
