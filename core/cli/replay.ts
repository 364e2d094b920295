/**
 * `gateway replay`: shows the estimated cost of a replay, asks for confirmation, starts it, follows it to its end, and
 * prints the report as a table on a terminal and as JSON otherwise.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'
import { type Progress, startProgress } from '../boot/index.ts'
import { type Command, readArguments } from './command.ts'
import {
  CallFailure,
  callGateway,
  callPatiently,
  clientOptions,
  type GatewayClient,
  openClient,
  pollMs,
} from './gateway-client.ts'
import { describeEstimate, describeReport } from './replay-report.ts'
import { sinceOf } from './since.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const text = { type: 'string' } as const
const options = {
  ...clientOptions,
  config: text,
  since: text,
  filter: text,
  sample: text,
  budget: text,
  judge: text,
  criteria: text,
  concurrency: text,
  seed: text,
  name: text,
  'api-key': text,
  yes: { type: 'boolean' },
} as const

type Values = ReturnType<typeof readArguments<typeof options>>['values']

const standardCriteria = 'Correctness and helpfulness: which answer serves the person who asked better?'

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, options)
    const body = await bodyOf(values, terminal)
    const client = openClient(values, terminal)
    const isText = values.json !== true && terminal.isTerminal === true
    try {
      return await run(client, body, { terminal, isText, isAgreed: values.yes === true })
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      terminal.err(`${error.message}\n`)
      return exitCodes.failed
    }
  },
}

interface Running {
  terminal: Terminal
  isText: boolean
  /** Whether to start without confirmation. */
  isAgreed: boolean
}

async function run(client: GatewayClient, body: JsonObject, { terminal, isText, isAgreed }: Running) {
  if (!isAgreed && terminal.ask === undefined)
    throw new UsageError('Add --yes to start a replay without a terminal.')
  const create = (more: JsonObject) =>
    callGateway(client, '/v1/replays', { headers: {}, body: { ...body, ...more } })
  const estimate = await create({ dry_run: true })
  const say = isText ? terminal.out.bind(terminal) : terminal.err.bind(terminal)
  say(describeEstimate(estimate))
  if (estimate.valid !== true) return exitCodes.failed
  if (!isAgreed && !/^y(?:es)?$/i.test(((await terminal.ask?.('Start the replay? [y/N] ')) ?? '').trim()))
    return exitCodes.failed
  // The seed of the estimate selects the same sample.
  const created = await create({ seed: estimate.seed ?? null })
  say(`Replay ${String(created.id)} started.\n`)
  const ended = await follow(client, String(created.id), terminal)
  if (ended === null) return exitCodes.failed
  terminal.out(isText ? describeReport(ended) : `${JSON.stringify(ended)}\n`)
  return ended.status === 'completed' || ended.status === 'budget_exhausted'
    ? exitCodes.done
    : exitCodes.failed
}

const countOf = ({ counts }: JsonObject, name: string): number => {
  const count = isObject(counts) ? counts[name] : 0
  return typeof count === 'number' ? count : 0
}

const live = new Set<Json | undefined>(['queued', 'running'])

/** The replay with its report; null when the command was interrupted. */
async function follow(client: GatewayClient, id: string, terminal: Terminal): Promise<JsonObject | null> {
  const path = `/v1/replays/${encodeURIComponent(id)}`
  let progress: Progress | null = null
  let done = 0
  try {
    for (;;) {
      const replay = await callPatiently(client, path)
      progress ??= await startProgress(terminal, {
        title: 'Replay',
        total: countOf(replay, 'total'),
        fewest: 0,
        unit: 'requests',
      })
      const count = ['completed', 'failed', 'skipped'].reduce((sum, name) => sum + countOf(replay, name), 0)
      progress.advance(count - done)
      done = count
      if (!live.has(replay.status)) return replay
      if (terminal.isDone?.() === true) return null
      await new Promise((wake) => setTimeout(wake, pollMs))
    }
  } finally {
    progress?.end()
  }
}

async function bodyOf(values: Values, terminal: Terminal): Promise<JsonObject> {
  if (values.config === undefined) throw new UsageError('--config names the config to try.')
  const { judge, criteria = standardCriteria } = values
  const filter: JsonObject = {
    time_of_generation_min: new Date(sinceOf(values.since ?? '7d', Date.now())).toISOString(),
    ...filterOf(values.filter),
  }
  return {
    source: { filter, sample: numberOf('sample', values.sample) ?? 200 },
    config: await configOf('config', values.config, terminal),
    ...(values.name === undefined ? {} : { name: values.name }),
    ...numbersOf(values),
    ...(judge === undefined ? {} : { judge: { config: await configOf('judge', judge, terminal), criteria } }),
    ...(values['api-key'] === undefined ? {} : { api_key_id: values['api-key'] }),
    ...(values.workspace === undefined ? {} : { workspace_id: values.workspace }),
  }
}

function numbersOf(values: Values): JsonObject {
  const given = (['budget', 'concurrency', 'seed'] as const).map((name) => [
    name,
    numberOf(name, values[name]),
  ])
  return Object.fromEntries(given.filter(([, value]) => value !== null)) as JsonObject
}

function numberOf(name: string, written: string | undefined): number | null {
  if (written === undefined) return null
  const value = Number(written)
  if (!Number.isFinite(value) || value < 0) throw new UsageError(`--${name} must be a number.`)
  return value
}

function filterOf(written = '{}'): JsonObject {
  const filter = parseJson(written)
  if (!isObject(filter)) throw new UsageError('--filter must be a JSON object.')
  return filter
}

/** A file with an inline config, or the reference of a saved one. */
async function configOf(name: string, written: string, { directory }: Terminal): Promise<Json> {
  if (!/[./\\]/.test(written)) return written
  let content: string
  try {
    content = await readFile(resolve(directory, written), 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--${name}: the file cannot be read: ${reason}`)
  }
  const config = parseJson(content)
  if (!isObject(config)) throw new UsageError(`--${name}: ${written} is not a JSON object.`)
  return config
}
