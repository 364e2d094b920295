/**
 * Finds the packages that bring providers, guardrails, stores, dialects, services and secret managers: the folders
 * `providers/*` and `plugins/*` of a checkout, or the packages that npm installed next to core, and the packages that the
 * config file names. Every error is reported with package and path, and prevents the start.
 */
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { contractVersion, isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { PackageInfo, PackageKind, Registry } from '@gateway/flow'
import { bundleKey } from './bundle-key.ts'
import { bundledPackages } from './bundled.ts'
import { emptyParts, type FoundPackage, type Parts, registerPackage } from './register.ts'
import { type DiscoveryFault, isPackageKind, keylessNames, packageKinds } from './registry.ts'
import { generationKey } from './reload-hooks.ts'

export interface DiscoverOptions {
  /** `plugins.packages`: names, or paths relative to `directory`. */
  packages: readonly string[]
  /** `plugins.disabled`: package names, provider names, or plugin names. */
  disabled: readonly string[]
  /** The directory of the config file. */
  directory: string
  /** The parent of the folders `providers` and `plugins`; the checkout's root except in tests. */
  root?: string
  /** Loads packages of these kinds only; default: all. */
  kinds?: readonly PackageKind[]
  /** The number of code changes per directory since the start; each change reloads the package. */
  generations?: ReadonlyMap<string, number>
  /** Called with the stores by URL scheme, before the other packages are evaluated. */
  onStores?: (stores: Registry['stores']) => void
}

/** The checkout: this file is `core/dist/discovery/discover.js`. */
export const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')

export async function discover(
  options: DiscoverOptions,
): Promise<{ registry: Registry; faults: DiscoveryFault[] }> {
  const faults: DiscoveryFault[] = []
  const root = options.root ?? checkout
  const folders = isInstalled(root)
    ? await listFolders(root)
    : [...(await listFolders(join(root, 'providers'))), ...(await listFolders(join(root, 'plugins')))]
  const named = new Map(
    options.packages.flatMap((name) =>
      findNamed(name, options.directory, faults).map((directory): [string, string] => [directory, name]),
    ),
  )
  const directories = [...new Set([...folders, ...named.keys()])]
  const found = directories.map((directory) => readPackage(directory, named.get(directory) ?? null, faults))
  const wanted = found
    .filter((entry) => entry !== null)
    .filter(({ info }) => !options.disabled.includes(info.name))
    .filter(({ info }) => options.kinds?.includes(info.kind) ?? true)
  const parts = emptyParts()
  const loadAll = async (packages: readonly FoundPackage[]) => {
    const loaded = await Promise.all(
      packages.map((entry) => load(entry, options.generations?.get(entry.info.directory) ?? 0, faults)),
    )
    for (const entry of loaded)
      if (entry !== null) registerPackage(entry, parts, { disabled: options.disabled, faults })
  }
  for (const { info } of found.filter((entry) => entry !== null)) {
    const { kind, name, version } = info
    parts.names.add(name)
    if (kind === 'guardrail' && options.disabled.includes(name))
      parts.disabledPlugins.push({ name, title: name, version })
  }
  const isStore = ({ info }: FoundPackage) => info.kind === 'store'
  await loadAll(wanted.filter(isStore))
  options.onStores?.(parts.stores)
  await loadAll(wanted.filter((entry) => !isStore(entry)))
  const order = new Map(wanted.map(({ info }, index) => [info.directory, index]))
  parts.packages.sort((a, b) => (order.get(a.directory) ?? 0) - (order.get(b.directory) ?? 0))
  return { registry: toRegistry(parts), faults }
}

/** Whether core was installed by npm: its packages are then next to it, in `node_modules/@gateway`. */
const isInstalled = (root: string) =>
  basename(root).startsWith('@') && basename(dirname(root)) === 'node_modules'

async function listFolders(parent: string): Promise<string[]> {
  try {
    const entries = await readdir(parent, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => join(parent, entry.name))
      .sort()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** The directories of packages configured by path. */
export function directoriesNamed(packages: readonly string[], directory: string): string[] {
  return packages.filter(isPath).map((name) => resolve(directory, name))
}

const isPath = (name: string) => name.startsWith('.') || isAbsolute(name)

function findNamed(name: string, directory: string, faults: DiscoveryFault[]): string[] {
  if (isPath(name)) return [resolve(directory, name)]
  for (const base of [join(directory, 'package.json'), join(checkout, 'package.json')]) {
    const paths = createRequire(base).resolve.paths(name) ?? []
    const lookUp = paths.map((path) => join(path, name, 'package.json'))
    const found = lookUp.find((path) => canRead(path))
    if (found !== undefined) return [dirname(found)]
  }
  const message = `is not installed: run "npm install ${name}" in this folder`
  faults.push({ package: name, path: directory, named: name, message })
  return []
}

function canRead(path: string): boolean {
  try {
    createRequire(path)(path)
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

/** A folder without a package.json, or a package that is not for the gateway, is skipped unless it was configured. */
function readPackage(directory: string, named: string | null, faults: DiscoveryFault[]): FoundPackage | null {
  const path = join(directory, 'package.json')
  const fault = (message: string, name = directory) => {
    faults.push({ package: name, path, named, message })
    return null
  }
  let text: string
  try {
    // Dozens of small files are read: synchronously, they take a tenth of the time.
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return named === null ? null : fault('has no package.json')
    }
    throw error
  }
  const manifest = parseJson(text)
  if (!isObject(manifest) || typeof manifest.name !== 'string')
    return fault('has a package.json that cannot be read')
  const { gateway, name } = manifest
  if (!isObject(gateway)) return named === null ? null : fault('has no "gateway" in its package.json', name)
  const { kind } = gateway
  if (!isPackageKind(kind)) {
    return fault(`has an unknown "gateway.kind"; known: ${packageKinds.join(', ')}`, name)
  }
  if (gateway.contract !== contractVersion) {
    return fault(
      `is for contract ${String(gateway.contract)}; this gateway has contract ${contractVersion}`,
      name,
    )
  }
  const version = typeof manifest.version === 'string' ? manifest.version : '0.0.0'
  const entry = join(directory, entryOf(manifest))
  const info: PackageInfo = { kind, name, version, directory, entry, provides: [] }
  return { info, named, module: {} }
}

/** The module that `exports` or `main` refers to. */
function entryOf(manifest: JsonObject): string {
  let target: unknown = manifest.exports ?? manifest.main ?? './index.js'
  while (isObject(target)) target = target['.'] ?? target.default ?? target.import
  return typeof target === 'string' ? target : './index.js'
}

async function load(
  found: FoundPackage,
  generation: number,
  faults: DiscoveryFault[],
): Promise<FoundPackage | null> {
  const { entry, name } = found.info
  try {
    const module = await importEntry(entry, generation)
    return { ...found, module: module as Record<string, unknown> }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    faults.push({ package: name, path: entry, named: found.named, message: `cannot be loaded: ${reason}` })
    return null
  }
}

/** A changed development package must not be taken from the bundle. */
function importEntry(entry: string, generation: number): Promise<unknown> {
  const bundled = generation === 0 ? bundledPackages[bundleKey(checkout, entry)] : undefined
  if (bundled !== undefined) return bundled()
  const url = pathToFileURL(entry)
  if (generation > 0) url.searchParams.set(generationKey, String(generation))
  return import(url.href)
}

function toRegistry(parts: Parts): Registry {
  return { ...parts, keyless: keylessNames(parts.providers.values()) }
}
