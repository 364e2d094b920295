/** Runs the compiler over projects and the projects that they refer to. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './freshness.js'

/** Projects are compiled in parallel. Several checkers of one project would repeat a third of each other's work. */
const options = ['--checkers', '1']

/** Whether everything compiles; errors are printed. */
export function compile(folders) {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
  const compiler = join(dirname(manifest), 'bin', 'tsc')
  const { status, error } = spawnSync(process.execPath, [compiler, '-b', ...options, ...folders], {
    cwd: root,
    stdio: 'inherit',
  })
  if (error !== undefined) process.stderr.write(`${error.message}\n`)
  return status === 0
}
