/**
 * Limit counters as used by one worker, in this process: per request one reservation of three limits (requests and
 * tokens per minute, a cost budget) for one of 1,000 keys, and its settlement; in memory, and on a separate Redis on
 * loopback.
 */
import { type Counters, isGatewayError, type Reservation } from '@gateway/contract'
import redis from '@gateway/store-redis'
import { createMemoryCounters } from '#counters/memory-counters'
import { isRedisInstalled, startRedis } from '../../support/redis.ts'
import type { Bench, Scenario } from '../bench.ts'
import { makeRow, type Row } from '../rows.ts'
import { median } from '../statistics.ts'

const NAME = 'counters'
const KEYS = 1000
/** The number of concurrent requests. */
const CONCURRENCY = 32
const LEASE_MS = 600_000
const MINUTE = { lengthMs: 60_000, offsetMs: 0 }

async function run(bench: Bench): Promise<Row[]> {
  const row = (figure: string, value: number | undefined, atLeast: number): Row => {
    const values = value === undefined ? {} : { gateway: value }
    return makeRow({ scenario: NAME, figure, unit: 'pairs/s', values, atLeast })
  }
  const inMemory = await rate(bench, createMemoryCounters())
  return [
    row('reserve and settle three, in memory', inMemory, 20_000),
    row('reserve and settle three, on Redis', await rateOnRedis(bench), 15_000),
  ]
}

async function rateOnRedis(bench: Bench): Promise<number | undefined> {
  if (!isRedisInstalled()) {
    bench.notes.push(`${NAME}: redis-server is not installed here`)
    return undefined
  }
  const server = await startRedis()
  const store = await redis.open(server.url, { directory: '.', report: () => undefined })
  try {
    if (store.counters === undefined) throw new Error('The store on Redis has no counters.')
    return await rate(bench, store.counters)
  } finally {
    await store.close()
    await server.stop()
  }
}

/** Pairs a second: the median of the rounds, after one that does not count. */
async function rate(bench: Bench, counters: Counters): Promise<number> {
  const { rounds, runMs } = bench.effort
  await round(counters, runMs / 2)
  const rates: number[] = []
  let failed = 0
  for (let index = 0; index < rounds; index += 1) {
    const result = await round(counters, runMs)
    rates.push(result.rate)
    failed += result.failed
  }
  if (failed > 0) bench.notes.push(`${NAME}: ${failed} pairs failed, and do not count`)
  return median(rates)
}

let requests = 0

/** Pairs per second; failed ones take time and do not count. */
async function round(counters: Counters, runMs: number): Promise<{ rate: number; failed: number }> {
  let done = 0
  let failed = 0
  const startedAt = performance.now()
  const endsAt = startedAt + runMs
  const workers = Array.from({ length: CONCURRENCY }, async () => {
    while (performance.now() < endsAt) {
      try {
        await pair(counters, requests++)
        done += 1
      } catch (error) {
        if (!isGatewayError(error)) throw error
        failed += 1
        // Yields, because an unavailable store would otherwise keep this process busy.
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  })
  await Promise.all(workers)
  return { rate: (done / (performance.now() - startedAt)) * 1000, failed }
}

async function pair(counters: Counters, request: number): Promise<void> {
  const id = `attempt-${request}`
  const key = request % KEYS
  const [tokens, cost] = [`tokens/${key}`, `cost/${key}`]
  const reservations: Reservation[] = [
    { key: `requests/${key}`, window: MINUTE, limit: 1e9, need: 1, admits: 'fits', takes: 'use' },
    { key: tokens, window: MINUTE, limit: 1e12, need: 900, admits: 'fits', takes: 'hold' },
    { key: cost, window: null, limit: 1e6, need: 0.0123, admits: 'open', takes: 'hold' },
  ]
  const { isAdmitted } = await counters.reserve(id, reservations, { leaseMs: LEASE_MS, nowMs: Date.now() })
  if (!isAdmitted) throw new Error('A reservation within the limits was refused.')
  const used = [
    { key: tokens, window: MINUTE, amount: 500 },
    { key: cost, window: null, amount: 0.0071 },
  ]
  await counters.settle(id, used, Date.now())
}

export const counters: Scenario = { name: NAME, run }
