/**
 * Runs the tests of the management API once more on each SQL engine, side by side: on memory they ran with all others.
 * Postgres is left out, with a line that says so, where it is not installed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isPostgresInstalled, startPostgres } from './support/postgres.ts'

const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url))
const files = ['test/dist/plugins/control-plane/*.test.js', 'test/dist/core/workspaces/*.test.js']

/** Gives the exit code; what was printed comes in one piece, for the other engine prints as well. */
async function run(engine: string, environment: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [mocha, '--reporter', 'dot', '--timeout', '60000', ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += String(text)
    })
  }
  const [code] = await once(child, 'close')
  console.log(`The management API on ${engine}:\n${output}`)
  return typeof code === 'number' ? code : 1
}

async function runOnPostgres(): Promise<number> {
  if (!isPostgresInstalled()) {
    console.log('left out: the management API on Postgres, because it is not installed here')
    return 0
  }
  const server = await startPostgres()
  try {
    return await run('Postgres', {
      TEST_STORE: 'postgres',
      TEST_POSTGRES_URL: await server.createDatabase(),
    })
  } finally {
    await server.close()
  }
}

const codes = await Promise.all([run('SQLite', { TEST_STORE: 'sqlite' }), runOnPostgres()])
process.exitCode = Math.max(...codes)
