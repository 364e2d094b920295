/** Prints the table, the machine and the notes as Markdown. */
import type { Machine } from './machine.ts'
import { type Row, ratioText, type Unit } from './rows.ts'
import type { ServerName } from './servers.ts'

/** The columns: server, title. */
const SERVERS: readonly [ServerName, string][] = [
  ['direct', 'mock, direct'],
  ['relay', 'relay'],
  ['reference', 'reference'],
  ['koa', 'Koa constant'],
  ['koa-unread', 'Koa, body unread'],
  ['gateway', 'this gateway'],
]

const DECIMALS: Record<Unit, number> = {
  'req/s': 0,
  'streams/s': 0,
  'pairs/s': 0,
  ms: 2,
  µs: 0,
  MB: 1,
  '%': 1,
  events: 0,
  streams: 0,
  requests: 0,
  writes: 0,
  commands: 1,
  transactions: 3,
  rows: 2,
  bytes: 0,
}

export const LEGEND = [
  'Medians over the rounds; the servers took turns, but versions of Node ran one after the other.',
  '"mock, direct" is the load generator calling the mock',
  'upstream without anything between, so that it bounds what can be measured. "added" is a server\'s figure',
  'less the direct one of the same round. "relay" is a bare node:http relay, "reference" the npm package',
  '@portkey-ai/gateway 1.15.2 with @hono/node-server 1.13.5 and hono 4.9.7, "Koa" a route that answers a constant.',
  'The gateway ran with auth, a saved config, metrics and log lines on.',
].join('\n')

/** The whole report. */
export function renderReport(machine: Machine, rows: readonly Row[], notes: readonly string[]): string {
  const notesPart = notes.length === 0 ? [] : ['', 'Notes:', '', ...notes.map((note) => `- ${note}`)]
  return [describe(machine), '', renderTable(rows), '', LEGEND, ...notesPart, ''].join('\n')
}

function describe({ cpu, cores, memoryGb, node, system, date, pins }: Machine): string {
  const pinned =
    pins === null
      ? 'nothing pinned (taskset is missing, or there is one core only)'
      : `server pinned to core ${pins.server}, load generator to core ${pins.load}, mock to core ${pins.mock}`
  return `${date.slice(0, 10)} · ${cpu}, ${cores.length} cores, ${memoryGb} GB · Node ${node} · ${system} · ${pinned}`
}

/** @param isShort leaves out the scenario, and servers without a value */
export function renderTable(rows: readonly Row[], { isShort = false } = {}): string {
  const servers = isShort
    ? SERVERS.filter(([name]) => rows.some(({ values }) => values[name] !== undefined))
    : SERVERS
  const header = [
    ...(isShort ? [] : ['scenario']),
    'figure',
    'unit',
    ...servers.map(([, title]) => title),
    'ratio',
    'wanted',
    'reached',
  ]
  const lines = rows.map((row) => [
    ...(isShort ? [] : [row.scenario]),
    row.figure,
    row.unit,
    ...servers.map(([name]) => renderValue(row.values[name], row.unit)),
    row.ratios
      .filter(({ value }) => Number.isFinite(value))
      .map(({ to, value }) => ratioText(to, value, row.unit))
      .join(', '),
    row.target,
    renderVerdict(row),
  ])
  const first = header.indexOf('unit') + 1
  const rule = header.map((_, column) =>
    column >= first && column < first + servers.length ? '---:' : '---',
  )
  return [header, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function renderValue(value: number | null | undefined, unit: Unit): string {
  // A missing figure is null in JSON.
  if (value === undefined) return ''
  if (value === null) return '–'
  if (!Number.isFinite(value)) return '–'
  return value.toLocaleString('en-US', {
    minimumFractionDigits: DECIMALS[unit],
    maximumFractionDigits: DECIMALS[unit],
  })
}

function renderVerdict({ verdict, disturbed }: Row): string {
  const text = verdict === 'no' ? '**no**' : verdict
  return disturbed && (verdict === 'yes' || verdict === 'no') ? `${text} (disturbed)` : text
}
