/**
 * Counts the files of core, providers and plugins whose code runs for one request, by V8's coverage: for a plain chat
 * request, a stream, a stream with guardrails on both sides, a write of the management API, and for writing a log entry
 * to the store. The fewer files, the easier it is to follow. `npm run files-per-request` prints the counts, and each
 * file with `-- --list`; it fails above the maximum counts, and when a file of an unused feature runs.
 */
import { Session } from 'node:inspector/promises'
import { relative, sep } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { install } from '@sinonjs/fake-timers'
import { defaultWorkspaceId } from '#domain/index'
import { chat, startGateway, type TestGateway } from './support/gateway.ts'
import { startThreadsCheaply } from './support/threads.ts'
import { openUpstream } from './support/upstream.ts'

/** This file is `test/dist/files-per-request.js`. */
const root = fileURLToPath(new URL('../..', import.meta.url))
const counted: readonly string[] = ['core', 'plugins', 'providers']
/** The number of requests before the counted one, for one-time work. */
const warmUps = 20

const contains = (...words: string[]) => [{ 'default.contains': { operator: 'none', words } }]

const requests = [
  { name: 'chat request', wanted: 53, body: chat(), config: {} },
  { name: 'plain stream', wanted: 59, body: chat('hello', { stream: true }), config: {} },
  {
    name: 'guarded stream',
    wanted: 72,
    body: chat('hello', { stream: true }),
    config: { input_guardrails: contains('forbidden'), output_guardrails: contains('secret') },
  },
]

/**
 * Features that none of these requests uses: hedging, stream timeouts, caches, circuit breakers, sticky sessions,
 * balancing, limits, retries.
 */
const unused =
  /^(?:core\/counters\/|core\/dist\/(?:caching|metering\/limits\/(?!usage-cost)|stages\/(?:hedge|cache|breaker|retry|strategy|limits|target-limits))|core\/routing\/dist\/(?:hedge|breaker|balancer|session-key|config-model|weighted)|core\/upstream\/dist\/attempt-signal|plugins\/store-sql\/dist\/(?:vectors|vector-scan))/

/** The maximum counts of a write of the management API and of a log entry's way, each to the row of SQLite. */
const wantedOfWrite = 39
const wantedOfEntry = 21

/** The files of a chat request that make its log entry from the exchange. */
const makesEntry =
  /^core\/(?:dist\/(?:stages\/telemetry|observability\/(?:attempts|log-bodies|log-entry|log-queue))|domain\/dist\/logs\/contents)\.js$/

/** The files that write the rows. A count without them has missed the write. */
const writesDocument = 'plugins/store-sql/dist/document-commit.js'
const writesEntry = 'plugins/store-sql/dist/log/write.js'

/** Files that a write runs only because they watch the store for changes, such as caches. */
const watching =
  /^(?:core\/dist\/tenancy\/|plugins\/(?:batches\/dist\/engine\/scheduler|control-plane\/dist\/remote-servers\/|mcp\/))/

const isCounted = (file: string) =>
  counted.includes(file.split('/')[0] ?? '') && !file.includes('node_modules')

/** Requests that are counted: what runs for each of them. Timeouts behind requests run for some. */
const measured = 10

/** The files that run whenever `send` does. @param prepare runs before it, and is not counted */
async function filesOf(
  session: Session,
  send: () => Promise<void>,
  prepare: () => Promise<void> = async () => undefined,
): Promise<string[]> {
  const once = async () => {
    await prepare()
    return filesOfOne(session, send)
  }
  for (let count = 0; count < warmUps; count += 1) await once()
  let files = await once()
  for (let count = 1; count < measured; count += 1) {
    const others = new Set(await once())
    files = files.filter((file) => others.has(file))
  }
  return files
}

async function filesOfOne(session: Session, send: () => Promise<void>): Promise<string[]> {
  // Reading the coverage resets the counts.
  await session.post('Profiler.takePreciseCoverage')
  await send()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const run = result.filter(({ url, functions }) => {
    const isRun = functions.some(({ ranges }) => ranges.some(({ count }) => count > 0))
    return isRun && url.startsWith('file:')
  })
  const files = run.map(({ url }) => relative(root, fileURLToPath(url)).split(sep).join('/'))
  return [...new Set(files)].filter(isCounted).sort()
}

/** Prints a count. Returns whether it is at most as wanted. */
function print(name: string, files: readonly string[], wanted: number): boolean {
  process.stdout.write(`${name}: ${files.length} files (wanted: at most ${wanted})\n`)
  if (process.argv.includes('--list')) process.stdout.write(files.map((file) => `  ${file}\n`).join(''))
  return files.length <= wanted
}

/** Prints the files that run although their feature is not used. Returns whether there are none. */
function leavesOutUnused(files: readonly string[]): boolean {
  const extra = files.filter((file) => unused.test(file))
  for (const file of extra) process.stdout.write(`  runs although it is not used: ${file}\n`)
  return extra.length === 0
}

/** Prints the file if it is missing. Returns whether it is there. */
function includes(files: readonly string[], file: string): boolean {
  if (!files.includes(file)) process.stdout.write(`  does not run, so the write was missed: ${file}\n`)
  return files.includes(file)
}

async function sendTo(gateway: TestGateway, path: string, { body, headers = {} }: Sent): Promise<void> {
  const response = await gateway.post(path, body, headers)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${text}`)
}

interface Sent {
  body: object
  headers?: Record<string, string>
}

const configHeader = (config: object) => ({
  'x-gateway-config': JSON.stringify({ virtual_key: 'main', ...config }),
})

async function main(): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  // Work at intervals, such as the writes of the log, is not part of a request.
  const clock = install({ toFake: ['setInterval', 'clearInterval'] })
  // The files of the store's thread are counted too.
  startThreadsCheaply()
  process.env.TEST_STORE = 'sqlite'
  const upstream = await openUpstream()
  const gateway = await startGateway({
    providers: { main: { provider: 'openai', api_key: 'test-key', custom_host: upstream.url } },
  })
  const { logs } = gateway.runtime
  const isReached: boolean[] = []
  try {
    const ofRequests: string[][] = []
    for (const { name, wanted, body, config } of requests) {
      const send = () => sendTo(gateway, '/v1/chat/completions', { body, headers: configHeader(config) })
      const files = await filesOf(session, send, () => logs.flush())
      isReached.push(print(name, files, wanted), leavesOutUnused(files))
      ofRequests.push(files)
    }
    const [ofChat = []] = ofRequests
    let labels = 0
    const write = () => {
      labels += 1
      const body = { name: `label-${labels}`, workspace_id: defaultWorkspaceId }
      return sendTo(gateway, '/v1/labels', { body })
    }
    const ofWrite = await filesOf(session, write, () => logs.flush())
    const special = ofWrite.filter((file) => !ofChat.includes(file) && !watching.test(file))
    isReached.push(
      print('write of the management API, without the files of every request', special, wantedOfWrite),
      includes(special, writesDocument),
    )
    const ofFlush = await filesOf(
      session,
      () => logs.flush(),
      () => sendTo(gateway, '/v1/chat/completions', { body: chat(), headers: configHeader({}) }),
    )
    const ofEntry = [
      ...ofChat.filter((file) => makesEntry.test(file)),
      ...ofFlush.filter((file) => !ofChat.includes(file)),
    ]
    isReached.push(
      print('log entry, from the exchange to its row', ofEntry, wantedOfEntry),
      includes(ofEntry, writesEntry),
    )
  } finally {
    await gateway.stop()
    await upstream.close()
    clock.uninstall()
    session.disconnect()
  }
  return isReached.every(Boolean) ? 0 : 1
}

process.exitCode = await main()
