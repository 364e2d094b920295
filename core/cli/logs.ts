/** `gateway logs`: the newest calls, as a table on a terminal and as JSON lines otherwise; one call with its attempts. */
import type { JsonObject, Log, LogEntry, LogFilter, LogMatch, LogSummary } from '@gateway/contract'
import { isObject } from '@gateway/contract'
import { hiddenSources, readBody } from '@gateway/domain'
import { type Command, configOption, readArguments } from './command.ts'
import { openStore } from './open-store.ts'
import { sinceOf } from './since.ts'
import { table } from './table.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const options = {
  ...configOption,
  follow: { type: 'boolean', short: 'f' },
  limit: { type: 'string', short: 'n' },
  since: { type: 'string' },
  model: { type: 'string' },
  provider: { type: 'string' },
  status: { type: 'string' },
  source: { type: 'string' },
  trace: { type: 'string' },
  workspace: { type: 'string' },
  errors: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

type Values = ReturnType<typeof readArguments<typeof options>>['values']

const defaultLimit = 20
const maxLimit = 1000
const pollMs = 1000
/** A call is logged when it ends but sorted by its start time. */
const longestCallMs = 600_000

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, options, 1)
    const [id] = positionals
    const filter = filterOf(values, Date.now())
    const limit = limitOf(values.limit)
    const opened = await openStore(values, terminal)
    if (opened === null) return exitCodes.failed
    const { ports } = opened
    const isTable = values.json !== true && terminal.isTerminal === true
    try {
      if (id !== undefined) return await showOne(ports.log, id, { terminal, isTable })
      const found = await ports.log.list(filter, { limit })
      print(found.reverse(), { terminal, isTable, hasHead: true })
      if (values.follow === true) await follow(ports.log, filter, { shown: found, terminal, isTable })
      return exitCodes.done
    } finally {
      await ports.close()
    }
  },
}

function limitOf(written: string | undefined): number {
  const limit = written === undefined ? defaultLimit : Number(written)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw new UsageError(`--limit must be a number from 1 to ${maxLimit}.`)
  return limit
}

function filterOf(values: Values, nowMs: number): LogFilter {
  const fields: { -readonly [Name in keyof LogMatch]: LogMatch[Name] } = {}
  const listOf = (text: string) => text.split(',').map((each) => each.trim())
  if (values.model !== undefined) fields.ai_model = listOf(values.model)
  if (values.trace !== undefined) fields.trace_id = listOf(values.trace)
  if (values.source !== undefined) fields.source = listOf(values.source)
  if (values.status !== undefined) {
    fields.response_status_code = listOf(values.status).map((status) => {
      if (!/^\d{3}$/.test(status)) throw new UsageError('--status must be HTTP statuses such as 429,500.')
      return Number(status)
    })
  }
  const { provider } = values
  return {
    fields,
    ...(values.source === undefined ? { except: { source: hiddenSources } } : {}),
    ...(provider === undefined ? {} : { either: [{ ai_org: listOf(provider), provider: listOf(provider) }] }),
    ...(values.errors === true ? { ranges: { response_status_code: { min: 400 } } } : {}),
    ...(values.workspace === undefined ? {} : { workspace_ids: listOf(values.workspace) }),
    ...(values.since === undefined ? {} : { from: sinceOf(values.since, nowMs) }),
  }
}

const head = ['TIME', 'ID', 'STATUS', 'PROVIDER', 'MODEL', 'TOKENS', 'CENTS', 'MS', 'CACHE']

function rowOf({ id, created_at, fields }: LogSummary): string[] {
  const text = (value: string | number | null | undefined) => (value == null ? '-' : String(value))
  return [
    new Date(created_at).toISOString().replace('T', ' ').slice(0, 19),
    id,
    text(fields.response_status_code),
    text(fields.provider ?? fields.ai_org),
    text(fields.ai_model ?? fields.requested_model),
    text(fields.total_units),
    text(fields.cost == null ? null : Math.round(fields.cost * 10_000) / 10_000),
    text(fields.response_time),
    text(fields.cache_status),
  ]
}

const plain = ({ id, created_at, workspace_id, fields, metadata }: LogSummary): JsonObject => ({
  id,
  created_at: new Date(created_at).toISOString(),
  workspace_id,
  ...fields,
  metadata: { ...metadata },
})

interface PrintOptions {
  terminal: Terminal
  isTable: boolean
  hasHead: boolean
}

function print(entries: readonly LogSummary[], { terminal, isTable, hasHead }: PrintOptions): void {
  if (isTable) {
    const text = table(head, entries.map(rowOf))
    terminal.out(hasHead ? text : text.slice(text.indexOf('\n') + 1))
  } else for (const entry of entries) terminal.out(`${JSON.stringify(plain(entry))}\n`)
}

interface FollowOptions {
  shown: readonly LogSummary[]
  terminal: Terminal
  isTable: boolean
}

/** Runs until the process is interrupted. Calls that began before those already shown are not missed. */
async function follow(
  log: Log,
  filter: LogFilter,
  { shown, terminal, isTable }: FollowOptions,
): Promise<void> {
  const known = new Map(shown.map(({ id, created_at }) => [id, created_at]))
  const begun = Date.now()
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    if (terminal.isDone?.() === true) return
    const from = Math.max(filter.from ?? 0, begun - longestCallMs, Date.now() - longestCallMs)
    const found = await log.list({ ...filter, from }, { limit: maxLimit })
    const fresh = found.filter(({ id }) => !known.has(id)).reverse()
    for (const [id, at] of known) if (at < from) known.delete(id)
    // Shows only calls that ended after the command started.
    const ended = fresh.filter(
      ({ created_at, fields }) => created_at + (fields.response_time ?? 0) >= begun - pollMs,
    )
    for (const { id, created_at } of fresh) known.set(id, created_at)
    if (ended.length > 0) print(ended, { terminal, isTable, hasHead: false })
  }
}

async function showOne(
  log: Log,
  id: string,
  { terminal, isTable }: { terminal: Terminal; isTable: boolean },
): Promise<number> {
  const [newest] = await log.list({ fields: { trace_id: [id] } }, { limit: 1 })
  const [entry] = [...(await log.read([id])), ...(newest === undefined ? [] : await log.read([newest.id]))]
  if (entry === undefined) {
    terminal.err(`No log entry or trace has the id "${id}".\n`)
    return exitCodes.failed
  }
  terminal.out(isTable ? describe(entry) : `${JSON.stringify(whole(entry))}\n`)
  return exitCodes.done
}

function whole(entry: LogEntry): JsonObject {
  const { details, bodies } = entry
  return {
    ...plain(entry),
    ...details,
    bodies:
      bodies === null
        ? null
        : Object.fromEntries(Object.entries(bodies).map(([name, text]) => [name, readBody(text)])),
  }
}

function describe(entry: LogEntry): string {
  const facts = Object.entries(plain(entry)).filter(([, value]) => value !== null)
  const width = Math.max(...facts.map(([name]) => name.length))
  const lines = facts.map(
    ([name, value]) => `${name.padEnd(width)}  ${isObject(value) ? JSON.stringify(value) : value}\n`,
  )
  const { attempts } = entry.details
  const tries = (Array.isArray(attempts) ? attempts : []).filter(isObject)
  const rows = tries.map((attempt) =>
    ['path', 'provider', 'model', 'status', 'fault', 'duration_ms', 'reason'].map((name) =>
      String(attempt[name] ?? '-'),
    ),
  )
  const tried = table(['PATH', 'PROVIDER', 'MODEL', 'STATUS', 'FAULT', 'MS', 'REASON'], rows)
  return `${lines.join('')}\n${rows.length === 0 ? 'No attempts.\n' : tried}`
}
