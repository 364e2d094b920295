/**
 * Resident memory after 100,000 and after 200,000 chats on 64 connections (fewer with `--quick`). A figure is the
 * median of readings over the last second of its half, since the garbage collector makes memory fluctuate. A server
 * that cannot answer as many within the time limit is measured at the number that it answered.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { thinned } from '../plot.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import type { Values } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Point } from '../series.ts'
import type { Server } from '../servers.ts'
import { median } from '../statistics.ts'
import { residentBytes } from '../usage.ts'

const NAME = 'memory'
const SAMPLE_MS = 100
const LAST_SAMPLES = 10
/** Points of a plotted line. */
const PLOTTED = 100
const BYTES_PER_MB = 1e6
const MOST_MB = 220
/** The growth that counts as flat. */
const MOST_GROWTH_PERCENT = 5
/** The reference is only shown for comparison, so a short time is enough. */
const REFERENCE_MS = 5_000

async function run(bench: Bench): Promise<Row[]> {
  const { memoryRequests } = bench.effort
  const halves: [Values, Values] = [{}, {}]
  const lines: Record<string, Point[]> = {}
  for (const name of ['relay', 'reference', 'gateway'] as const) {
    await withServers(bench, [name], {
      use: async ([server]) => {
        if (server === undefined) return
        const points: Point[] = [[0, residentBytes(server.child.pid) / BYTES_PER_MB]]
        for (const [index, values] of halves.entries()) {
          const { answered, samples } = await half(bench, server, index + 1)
          values[name] = median(samples.slice(-LAST_SAMPLES))
          const [from] = points.at(-1) ?? [0]
          // The load is constant: the position of a reading in its half gives the number of requests answered by then.
          points.push(...samples.map((mb, at): Point => [from + (answered * (at + 1)) / samples.length, mb]))
        }
        lines[name] = thinned(points, PLOTTED)
      },
    })
  }
  bench.series.push({
    scenario: NAME,
    name: NAME,
    title: 'Resident memory by requests',
    x: { title: 'requests' },
    y: { title: 'MB' },
    lines,
  })
  const [first, second] = halves
  const ratioTo = { relay: null, reference: null }
  const figure = (count: number): string => `after ${count.toLocaleString('en-US')} requests`
  return [
    makeRow({ scenario: NAME, figure: figure(memoryRequests), unit: 'MB', values: first, ratioTo }),
    makeRow({
      scenario: NAME,
      figure: figure(2 * memoryRequests),
      unit: 'MB',
      values: second,
      ratioTo,
      atMost: MOST_MB,
    }),
    makeRow({
      scenario: NAME,
      figure: 'growth between the two',
      unit: '%',
      values: growth(first, second),
      atMost: MOST_GROWTH_PERCENT,
    }),
  ]
}

/** Sends the requests of one half; returns the number of answers, and the resident memory meanwhile in megabytes. */
async function half(
  bench: Bench,
  server: Server,
  number: number,
): Promise<{ answered: number; samples: number[] }> {
  const samples: number[] = []
  const timer = setInterval(() => samples.push(residentBytes(server.child.pid)), SAMPLE_MS)
  const requests = bench.effort.memoryRequests
  const limitMs = bench.effort.memoryMs
  const runs = await runRounds(bench, {
    name: `${NAME}, half ${number}`,
    servers: [server],
    connections: 64,
    body: chatBody({}),
    expect: EXPECT_JSON,
    config: 'plain',
    rounds: 1,
    warmUp: false,
    runMs: server.name === 'reference' ? Math.min(REFERENCE_MS, limitMs) : limitMs,
    requests,
  }).finally(() => clearInterval(timer))
  const answered = runs.reduce((total, { result }) => total + result.completed, 0)
  if (answered < requests) {
    bench.notes.push(`${NAME}, half ${number}, ${server.name}: ${answered} requests within the time limit`)
  }
  return { answered, samples: samples.map((bytes) => bytes / BYTES_PER_MB) }
}

function growth(first: Values, second: Values): Values {
  const values: Values = {}
  for (const name of ['relay', 'reference', 'gateway'] as const) {
    const before = first[name]
    const after = second[name]
    if (before !== undefined && after !== undefined) values[name] = (after / before - 1) * 100
  }
  return values
}

export const memory: Scenario = { name: NAME, run }
