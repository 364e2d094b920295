/**
 * Runs the tests of the management API once more on each SQL engine: on memory they ran with all others. Postgres is
 * left out, with a line that says so, where it is not installed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isPostgresInstalled, startPostgres } from './support/postgres.ts'

const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url))
const files = [
  'test/dist/plugins/control-plane/*.test.js',
  'test/dist/core/workspaces/*.test.js',
  'test/dist/plugins/openapi/*.test.js',
]

async function run(environment: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [mocha, '--reporter', 'dot', ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}

console.log('The management API on SQLite:')
process.exitCode = await run({ TEST_STORE: 'sqlite' })
if (process.exitCode === 0 && isPostgresInstalled()) {
  console.log('The management API on Postgres:')
  const server = await startPostgres()
  try {
    process.exitCode = await run({ TEST_STORE: 'postgres', TEST_POSTGRES_URL: await server.createDatabase() })
  } finally {
    await server.close()
  }
} else if (process.exitCode === 0) {
  console.log('left out: the management API on Postgres, because it is not installed here')
}
