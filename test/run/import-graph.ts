/**
 * The source files that a file imports, directly and through others. `--changed` selects tests by them, and lanes
 * recognise tests that need a server, a browser or a process.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

/** Maps a file to the files that it imports; paths are relative to the root, with forward slashes. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

interface Manifest {
  name?: string
  exports?: Record<string, Door>
  imports?: Record<string, Door>
}

/** The target of a name: a file, or one for each condition. */
type Door = string | { default: string }

/** Maps a written specifier, or its part before `*`, to the source that it refers to. */
type Aliases = ReadonlyMap<string, string>

const groups = ['core', 'providers', 'plugins', 'test']
const skipped = new Set(['dist', 'node_modules'])
/** Packages that `gateway new` copies. */
const templates = 'core/cli/templates'

const specifier =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]|(?:^|\n)import\s*['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+\.[jt]s)['"]/g

/** Reads every TypeScript source of the checkout. */
export function readImportGraph(root: string): ImportGraph {
  const files = groups.flatMap((group) => filesBelow(root, group))
  const sources = files.filter((file) => /\.tsx?$/.test(file))
  const aliases = readAliases(root, files)
  const known = new Set(sources)
  return new Map(
    sources.map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const written = [...text.matchAll(specifier)].map((found) => found.slice(1).find(Boolean) ?? '')
      const targets = written.map((name) => sourceOf(name, file, aliases)).filter((name) => known.has(name))
      return [file, [...new Set(targets)]]
    }),
  )
}

/** All sources of a folder and its manifests, below the root. */
function filesBelow(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return skipped.has(entry.name) || path === templates ? [] : filesBelow(root, path)
    return /\.tsx?$/.test(entry.name) || entry.name === 'package.json' ? [path] : []
  })
}

/** `#core/*` of the top manifest, and the exports of each package. */
function readAliases(root: string, files: readonly string[]): Aliases {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest
  const own = Object.entries(read('package.json').imports ?? {}).map(
    ([name, door]) => [name, sourceFileOf('.', door)] as const,
  )
  const exported = files
    .filter((file) => file.endsWith('package.json'))
    .flatMap((file) => {
      const { name = '', exports = {} } = read(file)
      return Object.entries(exports).map(
        ([subpath, door]) => [name + subpath.slice(1), sourceFileOf(dirname(file), door)] as const,
      )
    })
  return new Map([...own, ...exported])
}

/** The source of a built file. */
const sourceFileOf = (folder: string, door: Door): string =>
  slashes(join(folder, typeof door === 'string' ? door : door.default))
    .replace('/dist/', '/')
    .replace(/\.js$/, '.ts')

function sourceOf(written: string, from: string, aliases: Aliases): string {
  if (written.startsWith('.'))
    return slashes(relative('.', resolve(dirname(from), written))).replace(/\.js$/, '.ts')
  const exact = aliases.get(written)
  if (exact !== undefined) return exact
  for (const [name, target] of aliases) {
    const prefix = name.slice(0, -1)
    if (name.endsWith('*') && written.startsWith(prefix))
      return target.replace('*', written.slice(prefix.length))
  }
  return ''
}

const slashes = (path: string): string => path.split(sep).join('/')

/**
 * The files that a file reaches, itself included.
 * @param doors are reached, but what they import is not
 */
export function reachedFrom(
  graph: ImportGraph,
  file: string,
  doors: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const reached = new Set([file])
  // A set that grows during the loop is read to its new end.
  for (const one of reached)
    if (one === file || !doors.has(one)) for (const next of graph.get(one) ?? []) reached.add(next)
  return reached
}
