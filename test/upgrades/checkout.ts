/**
 * The gateway of another commit, built in `test/dist/commits` and kept there. Its dependencies are those of this
 * checkout if they are the same; otherwise npm installs them.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const cache = join(root, 'test', 'dist', 'commits')

/** Null without Git or its history, as in an unpacked archive, and for a name that does not exist. */
export function commitOf(name: string): string | null {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim() : null
}

export function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
}

/** The command of the gateway of a commit, which this builds the first time. */
export function commandOf(commit: string): readonly string[] {
  const folder = join(cache, commit)
  if (!existsSync(folder)) build(commit, folder)
  return [join(folder, 'core', 'cli', 'bin', 'gateway')]
}

function build(commit: string, folder: string): void {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1024 ** 3 })
    execFileSync('tar', ['-x', '-C', unfinished], { input: archive })
    if (hasOwnDependencies(unfinished)) run(unfinished, 'npm', 'ci', '--no-audit', '--no-fund')
    else linkDependencies(unfinished)
    const bin = join('core', 'cli', 'bin')
    // Types are not needed. Commits without this file have only the whole build.
    const words = existsSync(join(unfinished, bin, 'transpile.js')) ? ['--to-start'] : []
    run(unfinished, process.execPath, join(bin, 'build.js'), ...words)
    renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function run(cwd: string, program: string, ...words: string[]): void {
  execFileSync(program, words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

interface Locked {
  version?: string
  resolved?: string
  /** Only tests and builds need it. */
  dev?: boolean
  /** A package of the checkout; `resolved` is its folder. */
  link?: boolean
}

/** The packages of a lock file, by path. */
function lockedIn(folder: string): Readonly<Record<string, Locked>> {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  return packages
}

/** Whether it needs a package that is not installed here in the same version; tools that are gone do not count. */
function hasOwnDependencies(folder: string): boolean {
  const here = lockedIn(root)
  return Object.entries(lockedIn(folder)).some(([path, { version, resolved, dev, link }]) => {
    if (!path.includes('node_modules/') || link === true) return false
    const same = here[path]
    return same === undefined ? dev !== true : same.version !== version || same.resolved !== resolved
  })
}

/** Links every package that is installed here, and the packages of that checkout. */
function linkDependencies(folder: string): void {
  const nested = Object.keys(lockedIn(root)).flatMap(
    (path) => /^(?!node_modules).*?\/node_modules/.exec(path)?.[0] ?? [],
  )
  for (const path of new Set(nested)) {
    if (existsSync(dirname(join(folder, path)))) symlinkSync(join(root, path), join(folder, path))
  }
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@gateway' && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const [path, { link, resolved = '' }] of Object.entries(lockedIn(folder))) {
    if (link !== true) continue
    const parent = dirname(join(folder, path))
    mkdirSync(parent, { recursive: true })
    // Relative, because the folder gets its name when it is built.
    symlinkSync(relative(parent, join(folder, resolved)), join(folder, path))
  }
}
