/**
 * Links a new package's dependencies to the gateway's own copies. The package can then be built and tested without a
 * network. `npm install` keeps such links.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** Returns the names that could not be linked. */
export async function linkDependencies(folder: string): Promise<string[]> {
  const { dependencies, devDependencies } = await readManifest(folder)
  const missing: string[] = []
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    const source = version.startsWith('file:')
      ? resolve(folder, version.slice('file:'.length))
      : find(name, import.meta.url)
    if (source === null || !(await link(name, source, folder))) missing.push(name)
  }
  return missing
}

interface Manifest {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  bin?: string | Record<string, string>
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** The folder of a package, resolved as from this module; null if it is not installed. */
function find(name: string, from: string): string | null {
  const places = createRequire(from).resolve.paths(name) ?? []
  return (
    places.map((place) => join(place, name)).find((path) => existsSync(join(path, 'package.json'))) ?? null
  )
}

async function link(name: string, source: string, folder: string): Promise<boolean> {
  const found = find(name, join(folder, 'package.json'))
  // In the gateway's own checkout it is found without a link.
  if (found !== null && (await realpath(found)) === (await realpath(source))) return true
  const target = join(folder, 'node_modules', name)
  try {
    await mkdir(dirname(target), { recursive: true })
    await symlink(source, target, 'junction')
    for (const [command, path] of await commandsOf(name, source)) {
      await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true })
      await symlink(join('..', name, path), join(folder, 'node_modules', '.bin', command))
    }
    return true
  } catch (error) {
    // Some systems do not allow every user to create links.
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

async function commandsOf(name: string, source: string): Promise<[command: string, path: string][]> {
  const { bin = {} } = await readManifest(source)
  return typeof bin === 'string' ? [[name.slice(name.indexOf('/') + 1), bin]] : Object.entries(bin)
}
