/**
 * The resources of a fleet for a given rate, computed from the cost of one request: the table of `docs/performance.md`.
 */
import type { RecordedScenario } from './figures.ts'
import { FIGURES } from './scenarios/scale.ts'

const RATE = 10_000
/** The share of a core below which one replica more or less does not matter. */
const LOAD = 0.6
const MICROSECONDS = 1_000_000
const DAY_S = 86_400
const GIGABYTE = 1e9

/** Renders a scenario; empty if it was not measured. */
export function renderScale(scale: RecordedScenario | undefined): string[] {
  if (scale === undefined || scale.rows.length === 0) return []
  const of = (figure: string) => scale.rows.find((row) => row.figure === figure)?.values.gateway ?? Number.NaN
  const coresOf = (figure: string) => (of(figure) * RATE) / MICROSECONDS / LOAD
  const needs = [
    { name: 'Gateways', figure: FIGURES.gatewayCpu, what: 'one core each; any number of them' },
    { name: 'Redis', figure: FIGURES.redisCpu, what: 'one core a server' },
    { name: 'Postgres', figure: FIGURES.postgresCpu, what: 'one server, and as many cores as it has' },
  ]
  // Gateways and cores can be added; Redis is limited to one core.
  const redis = coresOf(FIGURES.redisCpu)
  const first =
    redis > 1
      ? `Redis is the first bottleneck: one server reaches ${number(RATE / redis)} requests a second, and counters do not spread over several.`
      : `At this rate Redis, which runs on one core, is busy to ${number(redis * LOAD * 100)} %; the log in Postgres is the first bottleneck.`
  return [
    `## ${number(RATE)} requests a second`,
    '',
    'The figures of "scale" above, multiplied; cores are loaded to 60 %. Measured on one gateway and computed from there.',
    '',
    '| what | a request | at this rate |',
    '| --- | ---: | ---: |',
    ...needs.map(
      ({ name, figure, what }) =>
        `| ${name}, ${what} | ${number(of(figure))} µs | ${number(coresOf(figure), 1)} cores |`,
    ),
    `| Redis commands | ${number(of(FIGURES.redisCommands), 1)} | ${number(of(FIGURES.redisCommands) * RATE)}/s |`,
    `| Postgres transactions | ${number(of(FIGURES.transactions), 3)} | ${number(of(FIGURES.transactions) * RATE)}/s |`,
    `| Rows written | ${number(of(FIGURES.rows), 1)} | ${number(of(FIGURES.rows) * RATE)}/s |`,
    `| Write-ahead log | ${number(of(FIGURES.walBytes))} bytes | ${number((of(FIGURES.walBytes) * RATE) / 1e6)} MB/s |`,
    `| Log on disk | ${number(of(FIGURES.databaseBytes))} bytes | ${number((of(FIGURES.databaseBytes) * RATE * DAY_S) / GIGABYTE)} GB a day |`,
    '',
    `${first} A log of that size belongs into ClickHouse (\`GATEWAY_LOGS_URL=clickhouse://…\`), or keeps no bodies`,
    '(`logs.bodies: metadata`): see the [guide to logs](guides/logs.md).',
    '',
  ]
}

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits })
