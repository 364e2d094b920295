/**
 * Managed batches: lines per second with an immediate upstream and with one that takes 200 ms, their effect on
 * interactive calls, and 50,000 lines of 1 kB validated and run.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  BATCH_HEADERS,
  batchLines,
  batchUntil,
  createBatch,
  isCompleted,
  isValidated,
  uploadLines,
} from '../batch-runs.ts'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { latencyP99, medians } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { COMPLETION } from '../targets/wire-data.ts'
import { cpuMs, residentBytes, watchPeak } from '../usage.ts'

const NAME = 'batches'
const BYTES_PER_MB = 1e6
const SLOW_MS = 200
const CONCURRENCY = 25
/** The share of the theoretical maximum with 25 concurrent lines. */
const LEAST_OF_BEST = 0.95
const INTERACTIVE_CONNECTIONS = 4

async function run(bench: Bench): Promise<Row[]> {
  const isWhole = bench.effort.rounds > 2
  return [
    ...(await withGateway(bench, (server) => rates(bench, server, isWhole ? 10_000 : 2000))),
    ...(await slowUpstream(bench, isWhole ? 1000 : 250)),
    ...(await withGateway(bench, (server) => beside(bench, server))),
    ...(await withGateway(bench, (server) => large(server, isWhole ? 50_000 : 5000))),
  ]
}

const urlOf = ({ port }: Server): string => `http://127.0.0.1:${port}`

const withGateway = (bench: Bench, use: (server: Server) => Promise<Row[]>, mockPort = bench.mock.port) =>
  withServers(bench, ['gateway'], {
    use: async ([server]) => (server === undefined ? [] : use(server)),
    setting: {
      workers: 1,
      prepared: prepareGateway(workFolder(), mockPort),
    },
  })

async function rates(bench: Bench, server: Server, lines: number): Promise<Row[]> {
  const url = urlOf(server)
  // A batch first, to warm up the code.
  await batchUntil(url, await createBatch(url, await uploadLines(url, batchLines(500))), isCompleted)
  const file = await uploadLines(url, batchLines(lines))
  const cpuBefore = cpuMs(server.child.pid)
  const id = await createBatch(url, file)
  await batchUntil(url, id, isValidated)
  const startedAt = performance.now()
  await batchUntil(url, id, isCompleted)
  const tookMs = performance.now() - startedAt
  const cpu = cpuMs(server.child.pid) - cpuBefore
  bench.notes.push(`${NAME}: ${lines.toLocaleString('en-US')} lines, checking and output files included`)
  return [
    makeRow({
      scenario: NAME,
      figure: 'lines a second, upstream at once',
      unit: 'req/s',
      values: { gateway: (lines / tookMs) * 1000 },
      atLeast: 500,
    }),
    makeRow({
      scenario: NAME,
      figure: 'CPU a line',
      unit: 'ms',
      values: { gateway: cpu / lines },
      atMost: 1.5,
    }),
  ]
}

async function slowUpstream(bench: Bench, lines: number): Promise<Row[]> {
  const slow = createServer((request, response) => {
    request.resume()
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(COMPLETION)
    }, SLOW_MS)
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  try {
    const measure = async (server: Server): Promise<Row[]> => {
      const url = urlOf(server)
      await batchUntil(url, await createBatch(url, await uploadLines(url, batchLines(50))), isCompleted)
      const id = await createBatch(url, await uploadLines(url, batchLines(lines)))
      await batchUntil(url, id, isValidated)
      const startedAt = performance.now()
      await batchUntil(url, id, ({ request_counts: { completed } }) => completed >= lines)
      const perSecond = (lines / (performance.now() - startedAt)) * 1000
      return [
        makeRow({
          scenario: NAME,
          figure: `of 125 lines/s, upstream ${SLOW_MS} ms, ${CONCURRENCY} at a time`,
          unit: '%',
          values: { gateway: (perSecond / (CONCURRENCY / (SLOW_MS / 1000))) * 100 },
          atLeast: LEAST_OF_BEST * 100,
        }),
      ]
    }
    return await withGateway(bench, measure, (slow.address() as AddressInfo).port)
  } finally {
    slow.closeAllConnections()
    slow.close()
  }
}

/** Measures without and with a concurrent batch that lasts longer than the runs. */
async function beside(bench: Bench, server: Server): Promise<Row[]> {
  const url = urlOf(server)
  const contest = (name: string) =>
    runRounds(bench, {
      name,
      servers: [server],
      connections: INTERACTIVE_CONNECTIONS,
      body: chatBody({}),
      expect: EXPECT_JSON,
      config: 'plain',
      warmUp: name.endsWith('without') ? {} : false,
    })
  const alone = medians(await contest(`${NAME}, interactive without`), latencyP99)
  const id = await createBatch(url, await uploadLines(url, batchLines(50_000)))
  await batchUntil(url, id, isValidated)
  const both = medians(await contest(`${NAME}, interactive beside`), latencyP99)
  await fetch(`${url}/v1/batches/${id}/cancel`, { method: 'POST', headers: BATCH_HEADERS })
  return [
    makeRow({
      scenario: NAME,
      figure: `interactive p99 beside a batch, ${INTERACTIVE_CONNECTIONS} connections`,
      unit: 'ms',
      values: { gateway: both.gateway ?? Number.NaN, without: alone.gateway ?? Number.NaN },
      ratioAtMost: { without: 1.5 },
    }),
  ]
}

async function large(server: Server, lines: number): Promise<Row[]> {
  const url = urlOf(server)
  await batchUntil(url, await createBatch(url, await uploadLines(url, batchLines(500))), isCompleted)
  const file = await uploadLines(url, batchLines(lines, 1000))
  const before = residentBytes(server.child.pid)
  const peak = watchPeak(server.child.pid)
  const startedAt = performance.now()
  const id = await createBatch(url, file)
  await batchUntil(url, id, isValidated)
  const checkedMs = performance.now() - startedAt
  const checkedPeak = peak.read()
  await batchUntil(url, id, isCompleted)
  const runPeak = peak.stop()
  const figure = (text: string) => `${lines.toLocaleString('en-US')} lines of 1 kB ${text}`
  const megabytes = (bytes: number) => ({ gateway: Math.max(0, bytes - before) / BYTES_PER_MB })
  return [
    makeRow({
      scenario: NAME,
      figure: figure('checked'),
      unit: 'ms',
      values: { gateway: checkedMs },
      atMost: 3000,
    }),
    makeRow({
      scenario: NAME,
      figure: figure('checked, more memory'),
      unit: 'MB',
      values: megabytes(checkedPeak),
      atMost: 60,
    }),
    makeRow({
      scenario: NAME,
      figure: figure('running, more memory'),
      unit: 'MB',
      values: megabytes(runPeak),
      atMost: 80,
    }),
  ]
}

export const batches: Scenario = { name: NAME, run }
