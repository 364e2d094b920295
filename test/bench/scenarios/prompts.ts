/**
 * Prompts: the processor time of rendering 20 messages with a partial, and a prompt completion compared with a direct
 * call.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { GATEWAY_KEY } from '../gateway-config.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { median } from '../statistics.ts'
import { cpuMs } from '../usage.ts'

const NAME = 'prompts'
const MESSAGES = 20
const CONNECTIONS = 16
const MOST_RENDER_MS = 0.3
const MOST_RATIO = 1.15
const MOST_REQUESTS = 100_000

const headers = { 'x-gateway-api-key': GATEWAY_KEY, 'content-type': 'application/json' }

async function run(bench: Bench): Promise<Row[]> {
  return withServers(bench, ['gateway'], {
    use: async ([server]) => {
      if (server === undefined) return []
      await make(server, '/v1/prompts/partials', { name: 'intro', slug: 'intro', string: 'Dear {{name}},' })
      const messages = Array.from({ length: MESSAGES }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: index === 0 ? '{{>intro}} {{question}}' : `Message ${index} for {{name}}: {{question}}`,
      }))
      await make(server, '/v1/prompts', {
        name: 'long',
        slug: 'long',
        string: JSON.stringify(messages),
        model: 'bench-model',
        virtual_key: 'mock',
      })
      const [direct] = JSON.parse(chatBody({})).messages as { content: string }[]
      await make(server, '/v1/prompts', {
        name: 'short',
        slug: 'short',
        string: JSON.stringify([{ role: 'user', content: direct?.content ?? '' }]),
        model: 'bench-model',
        virtual_key: 'mock',
      })
      return [await render(bench, server), await completion(bench, server)]
    },
  })
}

async function make({ port }: Server, path: string, body: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...body, workspace_id: 'default' }),
  })
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`)
}

interface Call {
  path: string
  body: string
  firstBody: string
}

/** Requests a second, and the processor time of each in milliseconds. */
async function load(
  bench: Bench,
  { port, child }: Server,
  { call: { path, body, firstBody }, limitMs }: { call: Call; limitMs: number },
) {
  const before = cpuMs(child.pid)
  const { completed, elapsedMs, failed } = await bench.load.run({
    port,
    path,
    headers: { ...headers, 'x-gateway-config': 'plain' },
    body,
    connections: CONNECTIONS,
    requests: MOST_REQUESTS,
    limitMs,
    rampMs: 0,
    expect: { ...EXPECT_JSON, firstBody },
  })
  if (failed > 0) throw new Error(`${path}: ${failed} requests failed`)
  return { perSecond: (completed / elapsedMs) * 1000, cpu: (cpuMs(child.pid) - before) / completed }
}

async function render(bench: Bench, server: Server): Promise<Row> {
  const body = JSON.stringify({ variables: { name: 'Ada', question: 'Who wrote the first program?' } })
  const call = { path: '/v1/prompts/long/render', body, firstBody: '"messages"' }
  await load(bench, server, { call, limitMs: bench.effort.runMs })
  const found: number[] = []
  for (let round = 0; round < bench.effort.rounds; round += 1)
    found.push((await load(bench, server, { call, limitMs: bench.effort.runMs })).cpu)
  return makeRow({
    scenario: NAME,
    figure: `render of ${MESSAGES} messages with a partial, CPU`,
    unit: 'ms',
    values: { gateway: median(found) },
    atMost: MOST_RENDER_MS,
  })
}

async function completion(bench: Bench, server: Server): Promise<Row> {
  const calls = {
    chat: { path: '/v1/chat/completions', body: chatBody({}), firstBody: '"choices"' },
    gateway: {
      path: '/v1/prompts/short/completions',
      body: JSON.stringify({ variables: {} }),
      firstBody: '"choices"',
    },
  }
  const found: Record<keyof typeof calls, number[]> = { chat: [], gateway: [] }
  for (const name of ['chat', 'gateway'] as const)
    await load(bench, server, { call: calls[name], limitMs: bench.effort.runMs })
  for (let round = 0; round < bench.effort.rounds; round += 1)
    for (const name of ['chat', 'gateway'] as const)
      found[name].push((await load(bench, server, { call: calls[name], limitMs: bench.effort.runMs })).cpu)
  return makeRow({
    scenario: NAME,
    figure: 'prompt completion compared with a direct call, CPU',
    unit: 'ms',
    values: { gateway: median(found.gateway), chat: median(found.chat) },
    ratioAtMost: { chat: MOST_RATIO },
  })
}

export const prompts: Scenario = { name: NAME, run }
