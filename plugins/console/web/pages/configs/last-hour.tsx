/** A dry run of a config on requests of the last hour: where each would go, and what its tokens would cost there. */
import { useState } from 'preact/hooks'
import { call, load, type Row, urlOf } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { rowOf } from '../../json.ts'
import { routingOf } from '../playground/playground-from-log.ts'

const hourMs = 3_600_000

/** The time an hour before the page was opened. */
export function useHourAgo(): string {
  const [time] = useState(() => new Date(Date.now() - hourMs).toISOString())
  return time
}

/** Each takes two calls, so of more requests a sample is run. */
export const mostRequests = 200
/** Neighbours in time that are taken together. */
const together = 5
const atOnce = 4

/** A request as it was, and as it would be. */
export interface Compared {
  log: Schema<'Log'>
  /** Null: it could not be run, because of `reason`. */
  run: Schema<'DryRun'> | null
  reason: string
}

export interface Asked {
  config: Row
  workspace: string | null
  /** The slug of a saved config, to take only its requests; null: all of the workspace. */
  slug: string | null
  /** The end of the hour, in milliseconds since 1970. */
  until: number
  signal: AbortSignal
  /** Called after each request. */
  onProgress: (done: number, of: number) => void
}

/** The config under test replaces what chose the target. */
const replaced = ['x-gateway-config', 'x-gateway-workspace-id', 'x-gateway-provider', 'x-gateway-virtual-key']

function headersOf(entry: Schema<'LogEntry'>, config: Row): Record<string, string> {
  const sent = routingOf(rowOf(rowOf(entry.request).headers))
  for (const name of replaced) delete sent[name]
  const metadata =
    Object.keys(entry.metadata).length === 0 ? {} : { 'x-gateway-metadata': JSON.stringify(entry.metadata) }
  return { ...metadata, ...sent, 'x-gateway-config': JSON.stringify(config) }
}

async function runOne(log: Schema<'Log'>, { config, workspace, signal }: Asked): Promise<Compared> {
  const entry = await load(urlOf('/v1/logs/{id}', { path: { id: log.id } }), { signal })
  const { body } = rowOf(entry.request)
  const path = (entry.request_url ?? '').replace(/^https?:\/\/[^/]+/, '').split('?', 1)[0] ?? ''
  if (typeof body !== 'object' || body === null) return { log, run: null, reason: 'Its body was not logged.' }
  const named = rowOf(body)
  // A config as the model would take the place of the one under test.
  const model = String(named.model ?? '').startsWith('#') ? 'any' : named.model
  const run = await call('POST', '/v1/dry-run', {
    body: {
      endpoint: path,
      headers: headersOf(entry, config),
      body: { ...named, ...(model === undefined ? {} : { model }) },
      ...(entry.req_units === null
        ? {}
        : { tokens: { input: entry.req_units, output: entry.res_units ?? 0 } }),
    },
    headers: workspace === null || workspace === '' ? {} : { 'x-gateway-workspace-id': workspace },
    signal,
  })
  return { log, run, reason: run.errors[0]?.message ?? '' }
}

/**
 * The pages of a list that hold a sample of at most `mostRequests`, at equal distances over the whole list.
 * @returns numbers of pages of `together` rows, from 0
 */
function sampledPages(total: number): number[] {
  const pages = Math.ceil(total / together)
  const taken = Math.min(pages, mostRequests / together)
  return Array.from({ length: taken }, (_, index) => Math.floor((index * pages) / taken))
}

/** Runs work on each item, some at once, until the signal aborts. */
async function eachOf<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
) {
  const rest = [...items]
  const take = async () => {
    for (let item = rest.shift(); item !== undefined && !signal.aborted; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, take))
}

type Logs = readonly Schema<'Log'>[]

/** All requests of the last hour, or a sample of them, the newest first. */
async function loadLogs({ workspace, slug, until, signal }: Asked): Promise<{ total: number; logs: Logs }> {
  const page = (current_page: number, page_size: number) =>
    load(
      urlOf('/v1/logs', {
        query: {
          workspace_id: workspace || null,
          configs: slug,
          time_of_generation_min: new Date(until - hourMs).toISOString(),
          // Requests that arrive meanwhile would move the pages.
          time_of_generation_max: new Date(until).toISOString(),
          page_size,
          current_page,
        },
      }),
      { signal },
    )
  const { data, total } = await page(0, mostRequests)
  if (total <= data.length) return { total, logs: data }
  const found = new Map<number, Logs>()
  await eachOf(sampledPages(total), signal, async (number) => {
    found.set(number, (await page(number, together)).data)
  })
  return { total, logs: [...found].sort(([one], [other]) => one - other).flatMap(([, rows]) => rows) }
}

/** @returns the newest first. Errors: those of listing the requests; one that cannot be run says why. */
export async function runLastHour(asked: Asked): Promise<{ total: number; compared: readonly Compared[] }> {
  const { signal, onProgress } = asked
  const { total, logs } = await loadLogs(asked)
  const compared: Compared[] = []
  let done = 0
  await eachOf([...logs.entries()], signal, async ([index, log]) => {
    compared[index] = await runOne(log, asked).catch((fault: unknown) => ({
      log,
      run: null,
      reason: fault instanceof Error ? fault.message : String(fault),
    }))
    onProgress(++done, logs.length)
  })
  return { total, compared }
}

type Target = Schema<'DryRun'>['targets'][number]

/** The targets that a request may reach, the most probable first. */
export const reached = ({ run }: Compared): Target[] =>
  run === null
    ? []
    : run.targets
        .filter(({ probability }) => probability > 0)
        .sort((one, other) => other.probability - one.probability)

/** US cents, by the probability of each target; null: a price is unknown, or the request would be refused. */
export function costOf(one: Compared): number | null {
  const targets = reached(one)
  if (targets.length === 0) return null
  let cents = 0
  for (const { probability, estimate } of targets) {
    if (estimate.cost === null) return null
    cents += probability * estimate.cost
  }
  return cents
}

export const calledText = ({ virtual_key: key, provider, model }: Target): string =>
  [key === null ? provider : `@${key}`, model].filter((part) => part !== null).join(' · ')

export interface Sum {
  id: string
  path: string
  name: string
  /** How many of the requests, by their probabilities. */
  requests: number
  cents: number
  unpriced: number
}

/** By target of the config, in the order of the tree. */
export function sumsOf(compared: readonly Compared[]): Sum[] {
  const sums = new Map<string, Sum>()
  for (const one of compared)
    for (const target of reached(one)) {
      const name = calledText(target)
      const id = `${target.path} ${name}`
      const sum = sums.get(id) ?? { id, path: target.path, name, requests: 0, cents: 0, unpriced: 0 }
      sum.requests += target.probability
      if (target.estimate.cost === null) sum.unpriced += target.probability
      else sum.cents += target.probability * target.estimate.cost
      sums.set(id, sum)
    }
  return [...sums.values()].sort((one, other) => other.requests - one.requests)
}

/** Where a request went. */
export const wentTo = ({ log }: Compared): string =>
  `${log.provider ?? log.ai_org ?? '–'} · ${log.ai_model ?? '–'}`
