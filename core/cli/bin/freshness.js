/** Tells which parts of a checkout are built, and whether they are up to date. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const core = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const root = dirname(core)
/** Its modification time is the beginning of the last build, so edits during the build count as newer. */
export const stamp = join(core, 'dist', '.built')
/** The same for a build without types, which is enough to start. */
export const startStamp = join(core, 'dist', '.built-to-start')
/** The command and everything it loads at a start. */
export const bundle = join(core, 'dist', 'gateway.cjs')
/** Packages that `gateway new` copies: they are no part of core. */
export const templates = join(core, 'cli', 'templates')
/** Characters at the bundle's end that identify it. */
export const fingerprintLength = 16

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** The packages with sources of their own. */
export function packageFolders() {
  const nested = [
    ...['contract', 'pattern', 'domain', 'validation', 'config-file', 'counters', 'flow', 'store', 'config'],
    ...['streaming', 'routing', 'upstream', 'agreement', 'testing'],
  ]
  const folders = ['.', ...nested].map((name) => join(core, name))
  for (const group of ['providers', 'plugins']) {
    const folder = join(root, group)
    if (!existsSync(folder)) continue
    for (const name of readdirSync(folder)) folders.push(join(folder, name))
  }
  return folders.filter((folder) => existsSync(join(folder, 'tsconfig.json')))
}

/**
 * Whether any file below a folder changed after a time. Folders count too, because a deleted file leaves no other
 * trace.
 */
function isChangedSince(folder, time) {
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, item.name)
    if (item.name === 'node_modules' || item.name === 'dist' || path === templates) continue
    if (item.isDirectory()) {
      if (changedAt(path) > time || isChangedSince(path, time)) return true
    } else if (
      /(\.tsx?|\.css|^build\.js|^package\.json|^tsconfig\.json)$/.test(item.name) &&
      changedAt(path) > time
    ) {
      return true
    }
  }
  return false
}

/** Whether the build is up to date. Changed dependency versions count too, because the bundle contains them. */
export function isBuildFresh(folders, stampOfBuild = stamp) {
  const built = changedAt(stampOfBuild)
  const shared = ['tsconfig.json', 'package-lock.json'].map((name) => join(root, name))
  if (built === 0 || !existsSync(bundle) || shared.some((path) => changedAt(path) > built)) return false
  return folders.every((folder) => existsSync(join(folder, 'dist')) && !isChangedSince(folder, built))
}

/** Whether the bundle matches the compiled modules, which a compiler run outside the build may have changed. */
export function isBundleFresh(folders) {
  const bundled = changedAt(bundle)
  const sources = folders.map((folder) => join(folder, 'dist', 'tsconfig.tsbuildinfo'))
  return [join(root, 'package-lock.json'), ...sources].every((path) => changedAt(path) <= bundled)
}
