/** Format, lint and unused code, one after the other; both are run even if the first fails. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The checks run by their scripts, because a shell and its extensions differ between systems. */
const checks: readonly (readonly string[])[] = [
  ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ['node_modules/knip/bin/knip.js'],
]

const failed = checks.filter(
  (words) => spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status !== 0,
)
console.log(`  ${checks.length - failed.length} passing\n  ${failed.length} failing`)
process.exitCode = failed.length === 0 ? 0 : 1
