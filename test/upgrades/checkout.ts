/**
 * The gateway of another commit, built in `test/dist/commits` and kept there. Its dependencies are those of this
 * checkout if the lock files agree; otherwise npm installs them.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
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

/** Whether the lock files differ in more than the version of the packages of the checkout. */
function hasOwnDependencies(folder: string): boolean {
  const [own, other] = [root, folder].map((each) => {
    const { packages } = JSON.parse(readFileSync(join(each, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string; resolved?: string }>
    }
    const installed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'))
    return JSON.stringify(installed.map(([path, { version, resolved }]) => [path, version, resolved]))
  })
  return own !== other
}

/** Links every installed package, except that packages of the checkout are those of the other one. */
function linkDependencies(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: object
  }
  const nested = Object.keys(packages).flatMap(
    (path) => /^(?!node_modules).*?\/node_modules/.exec(path)?.[0] ?? [],
  )
  for (const path of new Set(nested)) {
    if (existsSync(dirname(join(folder, path)))) symlinkSync(join(root, path), join(folder, path))
  }
  const own = '@gateway'
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, own), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== own && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of readdirSync(join(root, 'node_modules', own)))
    symlinkSync(readlinkSync(join(root, 'node_modules', own, name)), join(modules, own, name))
}
