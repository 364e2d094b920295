/** Measures promises and kilobytes per request of a server under load from another process. */
import { type Child, startChild, stopChild, workFolder } from '../bench/children.ts'
import { prepareGateway, type SavedConfig } from '../bench/gateway-config.ts'
import type { Expectation, LoadJob } from '../bench/load/job.ts'
import type { LoadClient } from '../bench/load/load-client.ts'
import { script } from '../bench/paths.ts'
import { untilReady } from '../bench/ready.ts'
import { chatBody, EXPECT_JSON, EXPECT_STREAM } from '../bench/requests.ts'
import { headersOf } from '../bench/servers.ts'
import { median } from '../bench/statistics.ts'
import { BURST_MODEL } from '../bench/targets/wire-data.ts'
import { freePort } from '../support/free-port.ts'
import type { Measured, Unit } from './budgets.ts'
import type { Counted, Order } from './counted.ts'

interface Scenario {
  name: string
  body: string
  expect: Expectation
  config: SavedConfig
  /** Text in the headers of the gateway's answers that proves the scenario. */
  head?: string
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'chat', body: chatBody({}), expect: EXPECT_JSON, config: 'plain' },
  {
    name: 'cache hit',
    body: chatBody({}),
    expect: EXPECT_JSON,
    config: 'cached',
    head: '\r\nx-gateway-cache-status: hit',
  },
  {
    name: 'guarded, cache miss',
    body: chatBody({ distinct: true }),
    expect: EXPECT_JSON,
    config: 'guarded',
    head: '\r\nx-gateway-cache-status: miss',
  },
  {
    name: 'stream of 50 chunks',
    body: chatBody({ model: BURST_MODEL, stream: true }),
    expect: EXPECT_STREAM,
    config: 'plain',
  },
]

type ServerName = 'relay' | 'gateway'

/** Warm enough for V8's optimised code, in which objects that do not escape are not allocated. */
const WARM_UP_REQUESTS = 4_000
const COUNTED_REQUESTS = 1_000
const NAMED_REQUESTS = 200
const SAMPLED_REQUESTS = 1_500
const WEIGHED_REQUESTS = 3_500
/** The number of rounds of weighed requests; the median counts. */
const ROUNDS = 3
const CONNECTIONS = 16
const LIMIT_MS = 300_000

interface Server {
  name: ServerName
  child: Child
  port: number
  mockPort: number
}

interface MeasureOptions {
  mockPort: number
  load: LoadClient
  /** A scenario's name; null for all. */
  only: string | null
  /** Whether the functions are measured as well, which takes as long as the figures; otherwise there are none. */
  hasFunctions(scenario: string, perRequest: Readonly<Record<Unit, number>>): boolean
}

/** Measures every scenario on a new process of the server. */
export async function measureServer(
  name: ServerName,
  { mockPort, load, only, hasFunctions }: MeasureOptions,
): Promise<Record<string, Measured>> {
  const server = await start(name, mockPort)
  try {
    const measured: Record<string, Measured> = {}
    const chosen = SCENARIOS.filter((scenario) => only === null || scenario.name === only)
    for (const scenario of chosen) {
      const perRequest = await measureFigures(server, load, scenario)
      const functions = hasFunctions(scenario.name, perRequest)
        ? await measureFunctions(server, load, scenario)
        : { promises: {}, kilobytes: {} }
      measured[scenario.name] = {
        promises: { perRequest: perRequest.promises, functions: functions.promises },
        kilobytes: { perRequest: perRequest.kilobytes, functions: functions.kilobytes },
      }
    }
    return measured
  } finally {
    await stopChild(server.child)
  }
}

async function start(name: ServerName, mockPort: number): Promise<Server> {
  const port = await freePort()
  const words = name === 'relay' ? relayWords(port, mockPort) : gatewayWords(port, mockPort)
  const flags = ['--max-semi-space-size=16', '--v8-pool-size=1', '--import', script('../budgets/counters.js')]
  const args = [...flags, ...words.args]
  const child = startChild({ name, args, env: words.env, cores: null, channel: true })
  await untilReady(child, port, name === 'relay' ? '/' : '/readyz')
  return { name, child, port, mockPort }
}

const relayWords = (port: number, mockPort: number) => ({
  args: [script('targets/relay.js'), String(port), String(mockPort)],
  env: {},
})

function gatewayWords(port: number, mockPort: number) {
  const { file, env } = prepareGateway(workFolder(), mockPort)
  return { args: [script('../budgets/gateway.js'), 'start', '--config', file, '--port', String(port)], env }
}

const headOf = (server: Server, { head = '' }: Scenario): string => (server.name === 'gateway' ? head : '')

async function measureFigures(
  server: Server,
  load: LoadClient,
  scenario: Scenario,
): Promise<Record<Unit, number>> {
  const send = (requests: number, head = '') => run(load, jobOf(server, scenario, { requests, head }))
  await send(WARM_UP_REQUESTS)
  const head = headOf(server, scenario)
  const bytes: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await order(server, 'count bytes')
    await send(WEIGHED_REQUESTS, head)
    bytes.push((await order(server, 'bytes counted')).total)
  }
  await order(server, 'count promises')
  await send(COUNTED_REQUESTS, head)
  const promises = (await order(server, 'promises counted')).total
  return {
    promises: promises / COUNTED_REQUESTS,
    kilobytes: median(bytes) / WEIGHED_REQUESTS / 1_000,
  }
}

/** The share of each function. */
async function measureFunctions(
  server: Server,
  load: LoadClient,
  scenario: Scenario,
): Promise<Record<Unit, Record<string, number>>> {
  const send = (requests: number) =>
    run(load, jobOf(server, scenario, { requests, head: headOf(server, scenario) }))
  await order(server, 'name promises')
  await send(NAMED_REQUESTS)
  const creators = await order(server, 'promises named')
  await order(server, 'sample allocations')
  await send(SAMPLED_REQUESTS)
  const allocators = await order(server, 'allocations sampled')
  return {
    promises: shares(creators, NAMED_REQUESTS),
    kilobytes: shares(allocators, SAMPLED_REQUESTS * 1_000),
  }
}

const shares = ({ functions }: Counted, divisor: number): Record<string, number> =>
  Object.fromEntries(Object.entries(functions).map(([name, amount]) => [name, amount / divisor] as const))

const jobOf = (
  server: Server,
  scenario: Scenario,
  { requests, head }: { requests: number; head: string },
): LoadJob => ({
  port: server.port,
  path: '/v1/chat/completions',
  headers: headersOf(server.name, server.mockPort, scenario.config),
  body: scenario.body,
  connections: CONNECTIONS,
  requests,
  limitMs: LIMIT_MS,
  rampMs: 0,
  expect: { ...scenario.expect, head },
})

async function run(load: LoadClient, job: LoadJob): Promise<void> {
  const { completed, failed, firstFailure } = await load.run(job)
  if (failed > 0 || completed < job.requests)
    throw new Error(`${completed} of ${job.requests} requests were answered; ${firstFailure}`)
}

/** Sends an order to the measured process; resolves with its answer. */
function order({ child }: Server, text: Order): Promise<Counted> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${child.name} ended`))
    child.process.once('exit', onExit)
    child.process.once('message', (answer) => {
      child.process.off('exit', onExit)
      resolve(answer as Counted)
    })
    child.process.send(text)
  })
}
