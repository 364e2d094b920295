/**
 * Reads the package names and the store of a config file before it is validated: which providers need no credential is
 * known only once the packages are loaded.
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
  /** `store.url`, if it is a string. */
  storeUrl: string | null
}

interface PackagePlace extends Position {
  /** `/plugins/packages/0`. */
  param: string
}

/**
 * `plugins.packages`, `plugins.disabled` and `store.url` of the file at `path`; empty when the file is invalid, which
 * validation reports later.
 */
export async function peekPackages(path: string, environment: Environment): Promise<NamedPackages> {
  const text = await readFileText(path)
  if (typeof text !== 'string' || !canName(text)) return nothing
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
  const url = member(member(value, 'store'), 'url')
  const storeUrl = typeof url === 'string' ? url : null
  return { packages, disabled: texts(member(plugins, 'disabled')), places, storeUrl }
}

const nothing: NamedPackages = { packages: [], disabled: [], places: new Map(), storeUrl: null }

/** The file is parsed a second time only if it may contain one of the keys, plain or escaped. Most files have a commented store. */
const canName = (text: string) => /plugins|\\|^[^#\n]*store/m.test(text)

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : []
