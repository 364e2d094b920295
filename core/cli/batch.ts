/**
 * `gateway batch`: lists the batches of a running gateway, and follows a batch until it has ended, with a progress bar
 * on a terminal and plain lines otherwise. The result is text on a terminal, and the batch as JSON otherwise.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { type Progress, startProgress } from '../boot/index.ts'
import { type Command, readArguments, unknownWord } from './command.ts'
import {
  CallFailure,
  callGateway,
  callPatiently,
  clientOptions,
  type GatewayClient,
  openClient,
  pollMs,
} from './gateway-client.ts'
import { table } from './table.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const options = { ...clientOptions, provider: { type: 'string' }, limit: { type: 'string' } } as const

const maxLimit = 100

const missingAction = 'Name an action: list, or follow with the id of a batch.'

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, options, 2)
    const [action, id] = positionals
    if (action !== 'list' && action !== 'follow')
      throw unknownWord('action', action, { known: ['list', 'follow'], missing: missingAction })
    if ((action === 'follow') !== (id !== undefined))
      throw new UsageError(id === undefined ? 'follow needs the id of a batch.' : 'list takes no id.')
    const limit = values.limit ?? '20'
    if (!/^\d+$/.test(limit) || Number(limit) < 1 || Number(limit) > maxLimit)
      throw new UsageError(`--limit must be a number from 1 to ${maxLimit}.`)
    const opened = openClient(values, terminal)
    const { provider } = values
    const headers = provider === undefined ? {} : { 'x-gateway-provider': provider }
    const client = { ...opened, headers: { ...opened.headers, ...headers } }
    const isText = values.json !== true && terminal.isTerminal === true
    try {
      return id === undefined
        ? await list(client, limit, { terminal, isText })
        : await follow(client, id, { terminal, isText })
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      terminal.err(`${error.message}\n`)
      return exitCodes.failed
    }
  },
}

const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? '-' : String(value)

const countOf = ({ request_counts: counts }: JsonObject, name: string): number => {
  const count = isObject(counts) ? counts[name] : 0
  return typeof count === 'number' ? count : 0
}

async function list(
  client: GatewayClient,
  limit: string,
  { terminal, isText }: { terminal: Terminal; isText: boolean },
) {
  const { data } = await callGateway(client, `/v1/batches?limit=${limit}`)
  const batches = Array.isArray(data) ? data.filter(isObject) : []
  if (isText) {
    const rows = batches.map((batch) => [
      textOf(batch.id),
      textOf(batch.status),
      ...['total', 'completed', 'failed'].map((name) => String(countOf(batch, name))),
      textOf(batch.endpoint),
    ])
    terminal.out(table(['ID', 'STATUS', 'REQUESTS', 'COMPLETED', 'FAILED', 'ENDPOINT'], rows))
  } else for (const batch of batches) terminal.out(`${JSON.stringify(batch)}\n`)
  return exitCodes.done
}

const ends = new Set<Json | undefined>(['completed', 'failed', 'expired', 'cancelled'])

async function follow(
  client: GatewayClient,
  id: string,
  { terminal, isText }: { terminal: Terminal; isText: boolean },
) {
  const path = `/v1/batches/${encodeURIComponent(id)}`
  let progress: Progress | null = null
  let done = 0
  // A wrong address is reported immediately.
  let batch = await callGateway(client, path)
  try {
    for (;;) {
      const total = countOf(batch, 'total')
      if (progress === null && total > 0)
        progress = await startProgress(terminal, { title: `Batch ${id}`, total, fewest: 0, unit: 'requests' })
      const count = countOf(batch, 'completed') + countOf(batch, 'failed')
      progress?.advance(count - done)
      done = count
      if (ends.has(batch.status)) {
        progress?.end()
        progress = null
        terminal.out(isText ? describe(batch) : `${JSON.stringify(batch)}\n`)
        return batch.status === 'completed' ? exitCodes.done : exitCodes.failed
      }
      if (terminal.isDone?.() === true) return exitCodes.failed
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      batch = await callPatiently(client, path)
    }
  } finally {
    progress?.end()
  }
}

function describe(batch: JsonObject): string {
  const [total, completed, failed] = ['total', 'completed', 'failed'].map((name) => countOf(batch, name))
  const cost = typeof batch.cost === 'number' ? `, ${batch.cost} US cents` : ''
  const files = [
    ['output', batch.output_file_id],
    ['errors', batch.error_file_id],
  ].filter(([, file]) => typeof file === 'string')
  const { data } = isObject(batch.errors) ? batch.errors : {}
  const faults = (Array.isArray(data) ? data : []).filter(isObject)
  return [
    `${textOf(batch.id)} ${textOf(batch.status)}: ${completed} of ${total} requests completed, ${failed} failed${cost}.`,
    ...files.map(([name, file]) => `  ${name}: ${file}`),
    ...faults.map(({ line, message }) => `  ${line == null ? '' : `line ${line}: `}${textOf(message)}`),
  ]
    .map((line) => `${line}\n`)
    .join('')
}
