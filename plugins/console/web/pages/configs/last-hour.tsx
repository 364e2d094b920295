/** A dry run of a config on requests of the last hour: the target of each request, and the cost of its tokens there. */
import { useState } from 'preact/hooks'
import { call, load, type Row, urlOf } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { rowOf } from '../../json.ts'
import { routingOf } from '../playground/playground-from-log.ts'

const hourMs = 3_600_000

/** Returns the time one hour before the page was opened. */
export function useHourAgo(): string {
  const [time] = useState(() => new Date(Date.now() - hourMs).toISOString())
  return time
}

/** The maximum number of requests to run. Each takes two calls, so a sample of them is run if there are more. */
export const mostRequests = 200
/** The number of consecutive requests that are sampled together. */
const together = 5
const atOnce = 4

/** A logged request and its dry run. */
export interface Compared {
  log: Schema<'Log'>
  /** Null if the request could not be run; `reason` says why. */
  run: Schema<'DryRun'> | null
  reason: string
}

export interface Asked {
  config: Row
  workspace: string | null
  /** The slug of a saved config, whose requests are used; null for all requests of the workspace. */
  slug: string | null
  /** The end of the hour, as Unix milliseconds. */
  until: number
  signal: AbortSignal
  /** Called after each request. */
  onProgress: (done: number, of: number) => void
}

/** Headers that selected the target. The config under test replaces them. */
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
  // A model that names a config would replace the config under test.
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
 * Selects the pages of a list that contain a sample of at most `mostRequests`, evenly spaced over the whole list.
 * @returns numbers of pages of `together` rows, from 0
 */
function sampledPages(total: number): number[] {
  const pages = Math.ceil(total / together)
  const taken = Math.min(pages, mostRequests / together)
  return Array.from({ length: taken }, (_, index) => Math.floor((index * pages) / taken))
}

/** Runs work on each item, several at a time, until the signal aborts. */
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

/** Loads all requests of the last hour, or a sample of them, newest first. */
async function loadLogs({ workspace, slug, until, signal }: Asked): Promise<{ total: number; logs: Logs }> {
  const page = (current_page: number, page_size: number) =>
    load(
      urlOf('/v1/logs', {
        query: {
          workspace_id: workspace || null,
          configs: slug,
          time_of_generation_min: new Date(until - hourMs).toISOString(),
          // Without an end, requests that arrive meanwhile would move the pages.
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

/**
 * @returns the requests, newest first; one that could not be run contains the reason. Errors: those of listing the
 * requests
 */
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

/** The targets that a request may reach, the most likely first. */
export const reached = ({ run }: Compared): Target[] =>
  run === null
    ? []
    : run.targets
        .filter(({ probability }) => probability > 0)
        .sort((one, other) => other.probability - one.probability)

/**
 * The expected cost in US cents, weighted by the probability of each target; null if a price is unknown or the request
 * would be refused.
 */
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
  /** The expected number of requests, from their probabilities. */
  requests: number
  cents: number
  unpriced: number
}

/** Sums the costs by target of the config, in the order of the tree. */
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

/** The target that a request was sent to. */
export const wentTo = ({ log }: Compared): string =>
  `${log.provider ?? log.ai_org ?? '–'} · ${log.ai_model ?? '–'}`
