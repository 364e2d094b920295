#!/usr/bin/env node
/**
 * The `gateway` command. In a checkout it first builds what is missing or older than its sources;
 * an installed package brings its build along. Everything else is in cli/main.
 */
import { spawnSync } from 'node:child_process'
import cluster from 'node:cluster'
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// The heap may grow by 40 % between collections, not by several times: less memory for hardly more work.
setFlagsFromString('--heap-growing-percent=40')

const core = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(core)
const stamp = join(core, 'dist', '.built')
const entry = new URL('../dist/cli/main.js', import.meta.url)

/** The packages with sources of their own. */
function packageFolders() {
  const folders = [core]
  for (const group of ['providers', 'plugins']) {
    const folder = join(root, group)
    if (!existsSync(folder)) continue
    for (const name of readdirSync(folder)) folders.push(join(folder, name))
  }
  return folders.filter((folder) => existsSync(join(folder, 'tsconfig.json')))
}

/** Whether anything below a folder changed after a time. Folders count too: a file that was deleted leaves no other trace. */
function isChangedSince(folder, time) {
  for (const item of readdirSync(folder, { withFileTypes: true })) {
    if (item.name === 'node_modules' || item.name === 'dist' || item.name === 'templates') continue
    const path = join(folder, item.name)
    if (item.isDirectory()) {
      if (statSync(path).mtimeMs > time || isChangedSince(path, time)) return true
    } else if (/(\.ts|^package\.json|^tsconfig\.json)$/.test(item.name) && statSync(path).mtimeMs > time) {
      return true
    }
  }
  return false
}

function isFresh(folders) {
  const built = statSync(stamp, { throwIfNoEntry: false })
  if (built === undefined || statSync(join(root, 'tsconfig.json')).mtimeMs > built.mtimeMs) return false
  return folders.every((folder) => existsSync(join(folder, 'dist')) && !isChangedSince(folder, built.mtimeMs))
}

/** Where TypeScript is; null when it is not installed, as in a production install. */
function findCompiler() {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
    return join(dirname(manifest), 'bin', 'tsc')
  } catch {
    return null
  }
}

/** Gives the exit code. */
function build() {
  const compiler = findCompiler()
  const folders = packageFolders()
  if (compiler === null || isFresh(folders)) return 0
  // Taken before the build: what is edited meanwhile counts as newer.
  const startedAt = new Date()
  process.stderr.write('Building the gateway ...\n')
  const result = spawnSync(process.execPath, [compiler, '-b', ...folders], { cwd: root, encoding: 'utf8' })
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`)
    process.stderr.write('\nThe build failed.\n')
    return 1
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, '')
  utimesSync(stamp, startedAt, startedAt)
  return 0
}

const isCheckout = existsSync(join(core, 'tsconfig.json')) && existsSync(join(root, 'tsconfig.json'))
// A worker runs what its primary was built from.
const failed = isCheckout && !cluster.isWorker ? build() : 0
if (failed !== 0) process.exitCode = failed
else if (!existsSync(entry)) {
  process.stderr.write('The gateway is not built, and TypeScript is not there to build it: run `npm ci`.\n')
  process.exitCode = 1
} else {
  const { main } = await import(entry.href)
  process.exitCode = await main(process.argv.slice(2))
}
