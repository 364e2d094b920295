/**
 * MCP servers: calls of a tool on a warm upstream, with a key and the log; streams at once; lists of tools of a
 * thousand integrations from the results of their syncs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { freePort } from '../../support/free-port.ts'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { startChild, stopChild, workFolder } from '../children.ts'
import { GATEWAY_KEY, type PreparedGateway, prepareGateway } from '../gateway-config.ts'
import type { LoadJob, LoadResult } from '../load/job.ts'
import { script } from '../paths.ts'
import { untilReady } from '../ready.ts'
import { makeRow, type Row } from '../rows.ts'
import { quantile } from '../statistics.ts'

const NAME = 'mcp'
const INTEGRATIONS = 1_000
const STREAMS = 500
/** The events of a stream: ten notifications, and the answer. */
const EVENTS = 11
const MOST_ADDED_MS = 1.5
const LEAST_RATE = 1_500
const MOST_LIST_MS = 2
const LISTS_PER_ROUND = 200

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
  'x-gateway-api-key': GATEWAY_KEY,
}
const message = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const CALL = message('tools/call', { name: 'echo', arguments: { text: 'Do it.' } })
const STREAM = message('tools/call', { name: 'steps', arguments: {}, _meta: { progressToken: 'p' } })
const LIST = message('tools/list', {})

async function run(bench: Bench): Promise<Row[]> {
  const port = await freePort()
  const upstream = startChild({
    name: 'mcp-upstream',
    args: [script('targets/mcp-upstream.js'), String(port)],
    cores: bench.machine.pins?.server ?? null,
  })
  try {
    await untilReady(upstream, port, '/')
    return await measure(bench, port)
  } finally {
    await stopChild(upstream)
  }
}

function measure(bench: Bench, upstreamPort: number): Promise<Row[]> {
  const prepared = withServersOf(prepareGateway(workFolder(), bench.mock.port), upstreamPort)
  return withServers(bench, ['gateway'], {
    use: async ([server]) => {
      if (server === undefined) return []
      const { port } = server
      await syncAll(port)
      const one = { connections: 1, ...calls(bench, port) }
      await bench.load.run({
        ...one,
        connections: 64,
        requests: bench.effort.warmUpRequests,
        limitMs: bench.effort.warmUpMs,
      })
      const alone = await bench.load.run(one)
      const direct = await bench.load.run({ ...one, port: upstreamPort, path: '/mcp' })
      const many = await bench.load.run({ ...one, connections: 64 })
      noteFailures(bench, [alone, direct, many])
      const row = { scenario: NAME }
      return [
        makeRow({
          ...row,
          figure: 'tools/call, added latency p50, c=1',
          unit: 'ms',
          values: { gateway: alone.latencyMs.p50 - direct.latencyMs.p50 },
          atMost: MOST_ADDED_MS,
        }),
        makeRow({
          ...row,
          figure: 'tools/call with key and log, rate, c=64',
          unit: 'req/s',
          values: { gateway: (many.completed / many.elapsedMs) * 1000 },
          atLeast: LEAST_RATE,
        }),
        makeRow({
          ...row,
          figure: `calls lost of ${STREAMS} streams at once`,
          unit: 'events',
          values: { gateway: await lostStreams(port) },
          atMost: 0,
        }),
        makeRow({
          ...row,
          figure: `tools/list p50 at ${INTEGRATIONS.toLocaleString('en-US')} integrations`,
          unit: 'ms',
          values: { gateway: await listTime(bench, port) },
          atMost: MOST_LIST_MS,
        }),
      ]
    },
    setting: { label: NAME, prepared },
  })
}

function withServersOf(prepared: PreparedGateway, upstreamPort: number): PreparedGateway {
  const config = JSON.parse(readFileSync(prepared.file, 'utf8')) as Record<string, unknown>
  const url = `http://127.0.0.1:${upstreamPort}/mcp`
  config.mcp_servers = Object.fromEntries(
    Array.from({ length: INTEGRATIONS }, (_, index) => [`server-${index}`, { url, auth_type: 'none' }]),
  )
  writeFileSync(prepared.file, JSON.stringify(config, null, 2))
  return prepared
}

const calls = ({ effort }: Bench, port: number): Omit<LoadJob, 'connections'> => ({
  port,
  path: '/server-0/mcp',
  headers: HEADERS,
  body: CALL,
  requests: 100_000,
  limitMs: effort.runMs,
  rampMs: 0,
  expect: { kind: 'json', events: 0, head: '', firstBody: '"result"' },
})

function noteFailures(bench: Bench, results: readonly LoadResult[]): void {
  for (const { failed, firstFailure } of results)
    if (failed > 0) bench.notes.push(`${NAME}: ${failed} calls failed: ${firstFailure}`)
}

interface Sent {
  path: string
  body: string
  agent?: Agent
}

/** The whole answer; rejects on another status than 200. */
function post(port: number, { path, body, agent }: Sent): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers: HEADERS, agent: agent ?? false }
    const sent = request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 200)}`))
      })
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function syncAll(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let index = 0; index < INTEGRATIONS; index += 1)
    await post(port, { path: `/v1/mcp-servers/server-${index}/sync`, body: '{}', agent })
  agent.destroy()
}

async function lostStreams(port: number): Promise<number> {
  const streams = Array.from({ length: STREAMS }, () => post(port, { path: '/server-0/mcp', body: STREAM }))
  const ended = await Promise.allSettled(streams)
  const isWhole = (one: (typeof ended)[number]) =>
    one.status === 'fulfilled' && one.value.split('\ndata: ').length - 1 === EVENTS
  return ended.filter((one) => !isWhole(one)).length
}

/** One after another on one connection, over all servers. */
async function listTime({ effort }: Bench, port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  const ask = async (index: number) => {
    const startedAt = performance.now()
    await post(port, { path: `/server-${index}/mcp`, body: LIST, agent })
    return performance.now() - startedAt
  }
  for (let index = 0; index < INTEGRATIONS; index += 1) await ask(index)
  for (let count = 0; count < effort.rounds * LISTS_PER_ROUND; count += 1)
    times.push(await ask(Math.floor(Math.random() * INTEGRATIONS)))
  agent.destroy()
  return quantile(
    times.sort((a, b) => a - b),
    0.5,
  )
}

export const mcp: Scenario = { name: NAME, run }
