/**
 * Builds the checkout: `node core/cli/bin/build.js [FOLDER ...]` compiles all packages and the named folders, and
 * creates the bundle. Compile errors are printed and set exit code 1. With `--to-start`, types are neither checked nor
 * written: `gateway start` uses that for the first build of a checkout. With `--if-outdated`, a build that another process
 * has just done is not repeated.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withBuildLock } from './build-lock.js'
import { makeBundle } from './bundle.js'
import { compile } from './compile.js'
import { isBuildFresh, packageFolders, stamp, startStamp } from './freshness.js'
import { transpile } from './transpile.js'

/** Deletes the output of deleted test files, which the compiler leaves in place and mocha would still run. */
function removeStaleTests(folder) {
  const dist = join(folder, 'dist')
  for (const path of readdirSync(dist, { recursive: true })) {
    if (!path.endsWith('.test.js')) continue
    const name = path.slice(0, -'.js'.length)
    if (existsSync(join(folder, `${name}.ts`))) continue
    for (const ending of ['.js', '.js.map', '.d.ts']) rmSync(join(dist, name + ending), { force: true })
  }
}

/** Further build steps of packages, such as their web pages. */
async function buildPages() {
  for (const folder of packageFolders()) {
    const own = join(folder, 'build.js')
    if (existsSync(own)) await (await import(pathToFileURL(own).href)).build({ hasTypeCheck: !isToStart })
  }
}

const isToStart = process.argv.includes('--to-start')
const isOnlyIfOutdated = process.argv.includes('--if-outdated')
const stampOfBuild = isToStart ? startStamp : stamp
/** Prints a message to stderr, because the build of a new checkout takes a while. */
const say = (text) => process.stderr.write(`${text}\n`)
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const folders = [...packageFolders(), ...named.map((folder) => resolve(folder))]

/** Returns whether everything compiled. */
async function build() {
  if (isOnlyIfOutdated && isBuildFresh(folders, stampOfBuild)) return true
  // Created before the time is recorded, because a new file marks its folder as changed.
  for (const folder of folders) mkdirSync(join(folder, 'dist'), { recursive: true })
  const startedAt = new Date(Date.now() + 1)
  say(`  ${isToStart ? 'preparing' : 'compiling'} ${packageFolders().length} packages`)
  if (!(isToStart ? await transpile(folders) : compile(folders))) return false
  for (const folder of folders) removeStaleTests(folder)
  say('  bundling the gateway and its pages')
  // They run in parallel, because each waits for esbuild most of the time.
  await Promise.all([buildPages(), makeBundle()])
  writeFileSync(stampOfBuild, '')
  utimesSync(stampOfBuild, startedAt, startedAt)
  return true
}

if (!(await withBuildLock(build))) process.exitCode = 1
