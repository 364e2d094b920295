/**
 * Run by the `gateway` command next to this file. In a checkout it first builds what is missing or outdated; an
 * installed package is already built. The rest is in cli/main, run from the bundle while that is up to date.
 */
import { spawnSync } from 'node:child_process'
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { core, isBuildFresh, isBundleFresh, packageFolders, root } from './freshness.js'
import { loadBundle } from './load-bundle.js'

const isCheckout = existsSync(join(core, 'tsconfig.json')) && existsSync(join(root, 'tsconfig.json'))
const folders = isCheckout ? packageFolders() : []

/** Not in a production install. */
function canBuild() {
  const { resolve } = createRequire(import.meta.url)
  try {
    return [resolve('typescript/package.json'), resolve('esbuild')].length > 0
  } catch {
    return false
  }
}

/** Returns the exit code. */
function build() {
  if (isBuildFresh(folders) || !canBuild()) return 0
  process.stderr.write('Building the gateway ...\n')
  const script = fileURLToPath(new URL('./build.js', import.meta.url))
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  if (status === 0) return 0
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`)
  process.stderr.write('\nThe build failed.\n')
  return 1
}

// A worker runs what its primary was built from.
const failed = isCheckout && !cluster.isWorker ? build() : 0
const modules = join(core, 'dist', 'cli', 'main.js')
if (failed !== 0) process.exitCode = failed
else if (!existsSync(modules)) {
  process.stderr.write('The gateway is not built, and TypeScript is not there to build it: run `npm ci`.\n')
  process.exitCode = 1
} else {
  const isBundled = isCheckout && isBundleFresh(folders)
  const { main } = isBundled ? loadBundle() : await import(pathToFileURL(modules).href)
  process.exitCode = await main(process.argv.slice(2))
}
