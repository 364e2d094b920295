/**
 * The resources of a fleet for given rates, and the rates of given cores, computed from the cost of one request: two
 * tables of `docs/performance.md`.
 */
import type { RecordedScenario } from './figures.ts'
import { FIGURES } from './scenarios/scale.ts'

const RATES = [1_000, 10_000, 100_000]
const CORES = [1, 2, 4, 8, 16, 32]
/** The share of a core that is planned for; the rest is for peaks. */
const LOAD = 0.6
const MICROSECONDS = 1_000_000
const DAY_S = 86_400
const GIGABYTE = 1e9
/** For the smallest rate as well, so that one may fail. */
const FEWEST_PROCESSES = 2

/** Renders a scenario; empty if it was not measured. */
export function renderScale(scale: RecordedScenario | undefined): string[] {
  if (scale === undefined || scale.rows.length === 0) return []
  const of = (figure: string) => scale.rows.find((row) => row.figure === figure)?.values.gateway ?? Number.NaN
  const cores = (figure: string, rate: number) => (of(figure) * rate) / MICROSECONDS / LOAD
  const row = (name: string, request: string, at: (rate: number) => string) =>
    `| ${[name, request, ...RATES.map(at)].join(' | ')} |`
  const cpuRow = (name: string, figure: string) =>
    row(name, `${number(of(figure))} µs`, (rate) => `${number(cores(figure, rate), 1)} cores`)
  const redisLimit = (MICROSECONDS / of(FIGURES.redisCpu)) * LOAD
  const processes = (rate: number) => Math.max(FEWEST_PROCESSES, Math.ceil(cores(FIGURES.gatewayCpu, rate)))
  const fleets = (rate: number) => Math.ceil(rate / redisLimit)
  const gigabytes = (rate: number) => (of(FIGURES.databaseBytes) * rate * DAY_S) / GIGABYTE
  return [
    '## Sizing',
    '',
    'The figures of "scale" above, multiplied; cores are loaded to 60 %. Measured on one gateway and computed from there. The costs are',
    'those of short chats with stored keys, limits and bodies in the log; guardrails, translation and long streams cost more, see their',
    'sections.',
    '',
    `| what | a request | ${RATES.map((rate) => `${number(rate)}/s`).join(' | ')} |`,
    `| --- | ---: | ${RATES.map(() => '---:').join(' | ')} |`,
    cpuRow('Gateways, one core each', FIGURES.gatewayCpu),
    cpuRow('Redis, one core a server', FIGURES.redisCpu),
    cpuRow('Postgres', FIGURES.postgresCpu),
    row(
      'Redis commands',
      number(of(FIGURES.redisCommands), 1),
      (rate) => `${number(of(FIGURES.redisCommands) * rate)}/s`,
    ),
    row(
      'Postgres transactions',
      number(of(FIGURES.transactions), 3),
      (rate) => `${number(of(FIGURES.transactions) * rate)}/s`,
    ),
    row('Rows written', number(of(FIGURES.rows), 1), (rate) => `${number(of(FIGURES.rows) * rate)}/s`),
    row(
      'Write-ahead log',
      `${number(of(FIGURES.walBytes))} bytes`,
      (rate) => `${number((of(FIGURES.walBytes) * rate) / 1e6)} MB/s`,
    ),
    row(
      'Log on disk',
      `${number(of(FIGURES.databaseBytes))} bytes`,
      (rate) => `${number(gigabytes(rate))} GB a day`,
    ),
    '',
    'What to provide:',
    '',
    ...RATES.map(
      (rate) =>
        `- **${number(rate)} requests a second**: ${number(processes(rate))} gateway processes${
          processes(rate) === FEWEST_PROCESSES ? ' (one is enough; the second is for failures)' : ''
        }, ${
          fleets(rate) === 1
            ? `one Redis, which is busy to ${number(cores(FIGURES.redisCpu, rate) * LOAD * 100)} %`
            : `as ${fleets(rate)} fleets with a Redis each, because one Redis reaches ${number(redisLimit)} requests a second and counters do not spread over several`
        }, and ${number(Math.ceil(cores(FIGURES.postgresCpu, rate)))} ${
          Math.ceil(cores(FIGURES.postgresCpu, rate)) === 1 ? 'core' : 'cores'
        } for Postgres in all. The log grows by ${number(gigabytes(rate))} GB a day.`,
    ),
    '',
    'Gateways and cores can be added; one Redis cannot grow beyond a core. A log of hundreds of gigabytes a day belongs in ClickHouse',
    '(`GATEWAY_LOGS_URL=clickhouse://…`), or keeps no bodies (`logs.bodies: metadata`): see the [guide to logs](guides/logs.md).',
    '',
    'Requests a second by cores for gateways, from the CPU of a request, each core loaded to 60 %. The first limit is the load of the',
    'Redis that all gateways share:',
    '',
    '| cores | requests/s | load of Redis |',
    '| ---: | ---: | ---: |',
    ...CORES.map((count) => {
      const rate = (count * LOAD * MICROSECONDS) / of(FIGURES.gatewayCpu)
      const load = cores(FIGURES.redisCpu, rate) * LOAD * 100
      return `| ${count} | ${number(rate)} | ${load > 100 ? 'more than one can do' : `${number(load)} %`} |`
    }),
    '',
  ]
}

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits })
