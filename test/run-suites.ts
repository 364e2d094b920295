/**
 * Runs every suite and reports them all, even if one fails. All mocha tests run once, with the in-memory store. In parallel,
 * the tests of the management API run again on each SQL engine and those of logs and analytics on ClickHouse, followed by a
 * minute of fuzzing and the official MCP suite from the directory that MCP_CONFORMANCE_DIR names. Suites that need something
 * that is not installed are skipped with a message. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { isSuiteInstalled } from './conformance/mcp/suite.ts'
import { isClickHouseInstalled, startClickHouse } from './support/clickhouse.ts'
import { isPostgresInstalled, startPostgres } from './support/postgres.ts'

interface Outcome {
  suite: string
  passed: number
  failed: number
  /** Of the process: it may fail without a failed test. */
  exitCode: number
}

interface Options {
  environment?: Record<string, string>
  /** Whether output appears as it comes; otherwise in one piece at the end, because another suite prints as well. */
  isLive?: boolean
}

const tests = fileURLToPath(new URL('.', import.meta.url))
const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url))

async function run(suite: string, words: readonly string[], options: Options = {}): Promise<Outcome> {
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += String(text)
      if (options.isLive === true) process.stdout.write(text)
    })
  }
  const [code] = await once(child, 'close')
  if (options.isLive !== true) console.log(`${suite}:\n${output}`)
  return {
    suite,
    ...countsIn(output),
    exitCode: typeof code === 'number' ? code : 1,
  }
}

/**
 * The counts in the summary of mocha or of the fuzzer, such as `  12 passing (3s)` and `  1 failing` below it. Output of tests
 * may contain such a summary as well, of fewer tests.
 */
function countsIn(output: string): { passed: number; failed: number } {
  // Mocha prints colours where `CI` is set.
  const plain = stripVTControlCharacters(output)
  const summaries = plain.matchAll(/^\s+(\d+) passing.*(?:\n\s+\d+ pending)?(?:\n\s+(\d+) failing)?/gm)
  return [...summaries]
    .map(([, passed, failed = '0']) => ({ passed: Number(passed), failed: Number(failed) }))
    .reduce((most, counts) => (counts.passed > most.passed ? counts : most), { passed: 0, failed: 0 })
}

const onStores = [
  mocha,
  '--reporter',
  'dot',
  'test/dist/plugins/control-plane/*.test.js',
  'test/dist/plugins/observability/*.test.js',
  'test/dist/plugins/scim/*.test.js',
  'test/dist/plugins/batches/*.test.js',
  'test/dist/plugins/mcp/*.test.js',
  'test/dist/plugins/agents/*.test.js',
  'test/dist/core/tenancy/workspaces/*.test.js',
]

const onSqlite = async (): Promise<Outcome[]> => [
  await run('The management API on SQLite', onStores, { environment: { TEST_STORE: 'sqlite' } }),
]

const fuzzing = async (): Promise<Outcome[]> => [await run('Fuzzing', [join(tests, 'fuzz/run.js')])]

async function onPostgres(): Promise<Outcome[]> {
  if (!isPostgresInstalled()) {
    console.log('left out: the management API on Postgres, because it is not installed here')
    return []
  }
  const server = await startPostgres()
  try {
    const environment = { TEST_STORE: 'postgres', TEST_POSTGRES_URL: await server.createDatabase() }
    return [await run('The management API on Postgres', onStores, { environment })]
  } finally {
    await server.close()
  }
}

async function onClickHouse(): Promise<Outcome[]> {
  if (!isClickHouseInstalled()) {
    console.log('left out: logs and analytics on ClickHouse, because the package chdb is not installed here')
    return []
  }
  const server = await startClickHouse()
  try {
    const environment = { TEST_LOGS_URL: server.createDatabase() }
    const files = ['test/dist/plugins/observability/*.test.js', 'test/dist/core/cli/logs.test.js']
    const words = [mocha, '--reporter', 'dot', ...files]
    return [await run('Logs and analytics on ClickHouse', words, { environment })]
  } finally {
    await server.close()
  }
}

async function onMcpSuite(): Promise<Outcome[]> {
  const directory = process.env.MCP_CONFORMANCE_DIR
  if (directory === undefined || !isSuiteInstalled(directory)) {
    console.log(
      'left out: the official MCP suite, because MCP_CONFORMANCE_DIR names no directory that has it',
    )
    return []
  }
  const main = join(tests, 'conformance/mcp/main.js')
  return [await run('The official MCP suite', [main, directory])]
}

/**
 * Tests that start processes wait for most of their time, some for a minute. They come first, so that others use the
 * processor meanwhile, and no single one is left for the end.
 */
const first = [
  'e2e/batch-kills',
  'e2e/scripted-day',
  'e2e/',
  'release/',
  'tutorial/',
  'docs/',
  'core/boot/',
  'core/cli/',
  'plugins/store-',
  'conformance/',
  'plugins/console/',
  'plugins/openapi/',
  'plugins/control-plane/',
]

function testFiles(): string[] {
  const rank = (path: string) => {
    const index = first.findIndex((beginning) => path.startsWith(beginning))
    return index < 0 ? first.length : index
  }
  return readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.js'))
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1))
    .map((path) => join(tests, path))
}

const everything = async (): Promise<Outcome[]> => [
  await run('All tests', [mocha, '--parallel', '--jobs', '3', ...testFiles()], { isLive: true }),
]

async function inTurn(suites: (() => Promise<Outcome[]>)[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const suite of suites) outcomes.push(...(await suite()))
  return outcomes
}

// Three groups run in parallel, which keeps two cores busy; the suites of a group run one after the other.
const outcomes = (
  await Promise.all([
    everything(),
    inTurn([onSqlite, onClickHouse, onMcpSuite]),
    inTurn([onPostgres, fuzzing]),
  ])
).flat()
for (const { suite, passed, failed, exitCode } of outcomes)
  console.log(
    `${suite}: ${passed} passed, ${failed} failed${exitCode === 0 ? '' : ` (exit code ${exitCode})`}`,
  )
const sum = (key: 'passed' | 'failed') => outcomes.reduce((total, outcome) => total + outcome[key], 0)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = outcomes.every(({ exitCode, passed }) => exitCode === 0 && passed > 0) ? 0 : 1
