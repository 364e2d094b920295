/** Conditions after the traffic has ended: nothing leaks, and every acknowledged write, charge and log entry exists. */
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { type Cluster, descriptorsOf } from './cluster.ts'
import { type Key, manage, type Written } from './management.ts'
import { tokensOfCall } from './provider.ts'
import type { Sent } from './traffic.ts'

export interface Check {
  name: string
  figure: string
  isMet: boolean
}

/** Connections to Postgres and Redis come and go in pools. */
const descriptorPlay = 24
const idleLimitMs = 60_000
/** Reservations whose settlement was lost with a connection lapse after 10 minutes. */
const lapseMs = 11 * 60_000

export async function checkDescriptors({ nodes }: Cluster, before: readonly number[]): Promise<Check> {
  const now = () => nodes.map(({ process }) => descriptorsOf(process.pid))
  const isFine = () => now().every((count, index) => count <= (before[index] ?? 0) + descriptorPlay)
  await until('descriptors are closed', isFine, idleLimitMs).catch(() => false)
  return {
    name: 'open descriptors after traffic',
    figure: `${now().join(' and ')}, before it ${before.join(' and ')}`,
    isMet: isFine(),
  }
}

export async function checkSockets({ provider }: Cluster): Promise<Check> {
  const isIdle = async () => (await provider.connections()) === 0
  await until('connections to the provider are closed', isIdle, idleLimitMs).catch(() => false)
  const count = await provider.connections()
  return { name: 'sockets left to the provider', figure: String(count), isMet: count === 0 }
}

interface Limit {
  reserved: number
}

/** Reads the reservations of each limit from a dry run. */
async function reservedOf({ nodes }: Cluster, keys: readonly string[]): Promise<number> {
  let sum = 0
  for (const key of keys) {
    const response = await fetch(`${nodes[0]?.url}/v1/dry-run`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({
        endpoint: 'chatComplete',
        headers: { 'x-gateway-config': 'plain' },
        body: { model: 'soak', messages: [{ role: 'user', content: 'a' }] },
      }),
    })
    const { limits = [] } = (await response.json()) as { limits?: Limit[] }
    for (const { reserved } of limits) sum += reserved
  }
  return sum
}

export async function checkReservations(cluster: Cluster, keys: readonly string[]): Promise<Check> {
  const startedAt = performance.now()
  const isFree = async () => {
    await wait(500)
    return (await reservedOf(cluster, keys)) === 0
  }
  await until('reservations are settled', isFree, lapseMs).catch(() => false)
  const left = await reservedOf(cluster, keys)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { name: 'tokens still reserved', figure: `${left} (after ${seconds} s)`, isMet: left === 0 }
}

export async function checkWrites(cluster: Cluster, written: readonly Written[]): Promise<Check> {
  let lost = 0
  for (const { slug, number, inDoubt } of written) {
    const { config } = await manage(cluster, 'GET', { path: `/v1/configs/${slug}` })
    const found = (config as { override_params?: { seed?: number } }).override_params?.seed
    if (found !== number && !inDoubt.has(found ?? 0)) lost += 1
  }
  return { name: 'acknowledged writes', figure: `${written.length}, ${lost} lost`, isMet: lost === 0 }
}

/** The maximum charge of a call without a received answer: its estimate with the maximum output. */
const mostTokensOfCall = 40

/** Compares the usage of a key with the provider's own journal. */
export async function checkCharges(cluster: Cluster, key: Key, sent: readonly Sent[]): Promise<Check> {
  const doubtful = new Set<string>()
  const clean = sent.filter(({ kind }) => kind !== 'fault' && kind !== 'disconnect')
  for (const { user, isWhole, status } of clean) if (!isWhole || status !== 200) doubtful.add(user)
  let least = 0
  let most = 0
  for (const [user, { calls, tokens }] of cluster.provider.journal) {
    if (user.startsWith('fault') || user.startsWith('disconnect')) continue
    const isDoubtful = doubtful.has(user)
    if (!isDoubtful) least += tokens
    most += isDoubtful ? Math.max(tokens, calls * tokensOfCall) + mostTokensOfCall * calls : tokens
  }
  const used = async () => {
    const { usage_limits } = await manage(cluster, 'GET', { path: `/v1/api-keys/${key.id}` })
    const [limit] = [usage_limits].flat() as { current_usage?: number }[]
    return Number(limit?.current_usage ?? 0)
  }
  const isRight = async () => {
    const now = await used()
    return now >= least && now <= most
  }
  await until('charges are settled', isRight, 30_000).catch(() => false)
  const charged = await used()
  const expected = least === most ? String(least) : `${least} to ${most}`
  return {
    name: 'tokens charged, against the journal',
    figure: `${charged}, of ${expected}`,
    isMet: charged >= least && charged <= most,
  }
}

export async function checkLogs(cluster: Cluster, sent: readonly Sent[], startedAt: Date): Promise<Check> {
  const missing = new Set(
    sent.flatMap(({ status, requestId }) => (status === 200 && requestId ? requestId : [])),
  )
  const expected = missing.size
  const endsAt = performance.now() + 60_000
  for (;;) {
    for await (const id of logIds(cluster, startedAt)) missing.delete(id)
    if (missing.size === 0 || performance.now() > endsAt) break
    await wait(2000)
  }
  return {
    name: 'log entries of answered calls',
    figure: `${expected}, ${missing.size} missing`,
    isMet: missing.size === 0,
  }
}

async function* logIds(cluster: Cluster, from: Date): AsyncGenerator<string> {
  let after = ''
  for (;;) {
    const query = `page_size=1000&time_of_generation_min=${from.toISOString()}${after}`
    const { data, has_more: hasMore } = await manage(cluster, 'GET', { path: `/v1/logs?${query}` })
    const entries = data as { id: string }[]
    for (const { id } of entries) yield id
    const last = entries.at(-1)
    if (hasMore !== true || last === undefined) return
    after = `&after=${last.id}`
  }
}
