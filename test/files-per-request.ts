/**
 * Counts the files of core, providers and plugins whose code runs for one request, by V8's coverage: for a plain chat
 * request, and for a stream with guardrails on both sides. The fewer files, the easier a request is to follow. `npm run
 * files-per-request` prints the counts, and each file with `-- --list`; it fails above the maximum counts, and when a
 * file of an unused feature runs.
 */
import { Session } from 'node:inspector/promises'
import { relative, sep } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { install } from '@sinonjs/fake-timers'
import { chat, startGateway } from './support/gateway.ts'
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

const isCounted = (file: string) =>
  counted.includes(file.split(sep)[0] ?? '') && !file.includes('node_modules')

/** Requests that are counted: what runs for each of them. Timeouts behind requests run for some. */
const measured = 10

/** The files that run whenever `send` does. */
async function filesOf(session: Session, send: () => Promise<void>): Promise<string[]> {
  for (let count = 0; count < warmUps; count += 1) await send()
  let files = await filesOfOne(session, send)
  for (let count = 1; count < measured; count += 1) {
    const others = new Set(await filesOfOne(session, send))
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
  return [...new Set(run.map(({ url }) => relative(root, fileURLToPath(url))))].filter(isCounted).sort()
}

async function main(): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  // Work at intervals, such as the writes of the log, is not part of a request.
  const clock = install({ toFake: ['setInterval', 'clearInterval'] })
  const upstream = await openUpstream()
  const gateway = await startGateway({
    providers: { main: { provider: 'openai', api_key: 'test-key', custom_host: upstream.url } },
  })
  let isTooMany = false
  try {
    for (const { name, wanted, body, config } of requests) {
      const header = { 'x-gateway-config': JSON.stringify({ virtual_key: 'main', ...config }) }
      const send = async () => {
        const response = await gateway.post('/v1/chat/completions', body, header)
        const text = await response.text()
        if (response.status !== 200) throw new Error(`${name} was answered with ${response.status}: ${text}`)
      }
      const files = await filesOf(session, send)
      if (files.length > wanted) isTooMany = true
      process.stdout.write(`${name}: ${files.length} files (wanted: at most ${wanted})\n`)
      const extra = files.filter((file) => unused.test(file.split(sep).join('/')))
      if (extra.length > 0) isTooMany = true
      for (const file of extra) process.stdout.write(`  runs although it is not used: ${file}\n`)
      if (process.argv.includes('--list')) process.stdout.write(files.map((file) => `  ${file}\n`).join(''))
    }
  } finally {
    await gateway.stop()
    await upstream.close()
    clock.uninstall()
    session.disconnect()
  }
  return isTooMany ? 1 : 0
}

process.exitCode = await main()
