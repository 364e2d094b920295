/**
 * The reference: the npm package `@portkey-ai/gateway`, at the versions that `reference/package.json` and its lock file
 * pin, installed only by the bench and started with its own command.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BENCH_SOURCES } from './paths.ts'

const FOLDER = join(BENCH_SOURCES, 'reference')
const INSTALL_LIMIT_MS = 180_000

/** The script that starts it. */
export const REFERENCE_SCRIPT = join(FOLDER, 'node_modules/@portkey-ai/gateway/build/start-server.js')

/** Installs the package if it is missing; returns the reason of a failure, or an empty text. */
export function installReference(): string {
  if (existsSync(REFERENCE_SCRIPT)) return ''
  console.error('installing the reference package (npm ci in test/bench/reference) …')
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: ['ignore', 2, 2],
    timeout: INSTALL_LIMIT_MS,
  })
  if (existsSync(REFERENCE_SCRIPT)) return ''
  return `the reference package could not be installed (${error?.message ?? `npm ended with ${status}`})`
}
