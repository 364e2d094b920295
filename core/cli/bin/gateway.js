#!/usr/bin/env node
/**
 * The `gateway` command. In a checkout it first builds missing or outdated parts; an installed package is already
 * built. Everything else is in cli/main, which is run from the bundle while that is up to date.
 */
import { spawnSync } from 'node:child_process'
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  bundle,
  core,
  isBuildFresh,
  isBundleFresh,
  packageFolders,
  root,
  stamp,
  startStamp,
} from './freshness.js'
import { loadBundle } from './load-bundle.js'

/** The file `gateway` next to this one explains the flags. */
const nodeFlags = ['--max-semi-space-size=16', '--v8-pool-size=1']

/**
 * Replaces this process by one with the flags if Node supports that (from 22.15 on, not on Windows). Otherwise the
 * gateway runs without them, unless its command line has them.
 */
function applyNodeFlags() {
  const hasFlags = process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size'))
  if (hasFlags || process.argv[2] !== 'start' || process.platform === 'win32') return
  const words = [process.execPath, ...nodeFlags, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, words, process.env)
}

if (!cluster.isWorker) applyNodeFlags()
const isCheckout = existsSync(join(core, 'tsconfig.json')) && existsSync(join(root, 'tsconfig.json'))
const folders = isCheckout ? packageFolders() : []

/** A production install does not have it. */
function canBuild() {
  const { resolve } = createRequire(import.meta.url)
  try {
    return [resolve('typescript/package.json'), resolve('esbuild')].length > 0
  } catch {
    return false
  }
}

/** Returns the exit code. A new checkout is built without its types, which only `gateway new` needs. */
function build() {
  const needsTypes = process.argv[2] === 'new'
  if (isBuildFresh(folders) || (!needsTypes && isBuildFresh(folders, startStamp)) || !canBuild()) return 0
  const isNew = !existsSync(stamp) && !existsSync(startStamp)
  process.stderr.write('Building the gateway ...\n')
  const script = fileURLToPath(new URL('./build.js', import.meta.url))
  const words = [script, '--if-outdated', ...(isNew && !needsTypes ? ['--to-start'] : [])]
  // Standard output belongs to the command.
  const { status, error } = spawnSync(process.execPath, words, { stdio: ['ignore', 2, 2] })
  if (status === 0) return 0
  process.stderr.write(`${error?.message ?? ''}\nThe build failed.\n`)
  return 1
}

// A worker runs the same build as its primary.
const failed = isCheckout && !cluster.isWorker ? build() : 0
const modules = join(core, 'dist', 'cli', 'main.js')
const isBundled = existsSync(bundle) && (!isCheckout || isBundleFresh(folders))
if (failed !== 0) process.exitCode = failed
else if (!isBundled && !existsSync(modules)) {
  process.stderr.write('The gateway is not built, and TypeScript is not there to build it: run `npm ci`.\n')
  process.exitCode = 1
} else {
  const { main } = isBundled ? loadBundle() : await import(pathToFileURL(modules).href)
  process.exitCode = await main(process.argv.slice(2))
}
