/**
 * Counters on Redis: one script for each step, by the server's own clock, so that processes with different clocks
 * agree. Windows and leases expire by themselves; budgets stay until they are reset.
 * Errors: `dependency_unavailable` when the server has not answered within 50 ms.
 */
import type { CounterReading, Counters, CounterWindow } from '@gateway/contract'
import { takenAmount } from '@gateway/core/domain'
import { type Connection, keyPrefix, promptDeadlineMs } from './connection.ts'
import * as scripts from './counter-scripts.ts'
import { limitInFlight } from './in-flight.ts'
import { prepareScript } from './script.ts'

/** What a server answers in a small part of the deadline. */
const mostInFlight = 64
/** Nobody's request waits for it: operators and jobs. */
const longDeadlineMs = 2000

const usePrefix = `${keyPrefix}:counter:use:`
const leasesPrefix = `${keyPrefix}:counter:leases:`
const attemptPrefix = `${keyPrefix}:counter:attempt:`
const budgets = `${keyPrefix}:counter:budgets`

export interface RedisCountersOptions {
  /** Whose time counts; the caller's is for tests that turn the clock. */
  clock?: 'server' | 'caller'
  /** For an answer to a request; default 50. */
  deadlineMs?: number
}

/** Counters for all processes on this Redis. */
export function createCounters(connection: Connection, options: RedisCountersOptions = {}): Counters {
  const { client, ask } = connection
  const { clock = 'server', deadlineMs = promptDeadlineMs } = options
  const inTurn = limitInFlight(mostInFlight)
  /** Of a request. */
  const askSoon = <T>(command: () => Promise<T>) => inTurn(() => ask(command, deadlineMs))
  const reserve = prepareScript(client, scripts.reserveScript)
  const settle = prepareScript(client, scripts.settleScript)
  const read = prepareScript(client, scripts.readScript)
  const reset = prepareScript(client, scripts.resetScript)
  const seed = prepareScript(client, scripts.seedScript)
  const list = prepareScript(client, scripts.listScript)
  const timeOf = (nowMs: number) => (clock === 'caller' ? String(nowMs) : '')

  function sendSettlement(
    id: string,
    used: Parameters<Counters['settle']>[1],
    nowMs: number,
    others: 'give back' | 'keep',
  ): Promise<(string | number)[]> {
    return settle(
      [attemptPrefix + id, budgets, ...namesOf(used)],
      [
        timeOf(nowMs),
        usePrefix,
        leasesPrefix,
        others === 'give back' ? '1' : '0',
        ...used.flatMap(({ key, window, amount }) => [key, ...textsOf(window), String(takenAmount(amount))]),
      ],
    )
  }

  return {
    async reserve(id, reservations, leaseMs, nowMs) {
      const values = reservations.flatMap(({ key, window, limit, need, admits, takes }) => {
        return [key, ...textsOf(window), String(limit), String(takenAmount(need)), admits, takes]
      })
      let isLate = false
      const send = async () => {
        const names = namesOf(reservations)
        const answer = await reserve(
          [attemptPrefix + id, budgets, ...names],
          [timeOf(nowMs), String(leaseMs), id, ...values],
        )
        if (isLate && answer[0] === 1) await giveBack()
        return answer
      }
      // Nobody knows any more that it was taken: it would be missing until the end of its lease.
      const giveBack = () => {
        const held = reservations.filter(({ takes }) => takes === 'hold')
        return sendSettlement(
          id,
          held.map(({ key, window }) => ({ key, window, amount: 0 })),
          nowMs,
          'keep',
        )
      }
      try {
        const [isAdmitted, ...answer] = await askSoon(send)
        const readings = reservations.map((_, index) => {
          return { ...readingAt(answer, index * 3), isAdmitted: answer[index * 3 + 2] === 1 }
        })
        return { isAdmitted: isAdmitted === 1, readings }
      } catch (error) {
        isLate = true
        throw error
      }
    },
    async settle(id, used, nowMs) {
      const answer = await askSoon(() => sendSettlement(id, used, nowMs, 'give back'))
      return used.map((_, index) => readingAt(answer, index * 2))
    },
    async read(keys, nowMs) {
      const names = namesOf(keys)
      const values = keys.flatMap(({ window }) => textsOf(window))
      const answer = await askSoon(() => read(names, [timeOf(nowMs), ...values]))
      return keys.map((_, index) => readingAt(answer, index * 2))
    },
    async reset(keys) {
      if (keys.length === 0) return
      const names = keys.map((key) => usePrefix + key)
      await ask(() => reset(names, []), longDeadlineMs)
    },
    async seed(seeds) {
      if (seeds.length === 0) return
      const names = namesOf(seeds)
      const values = seeds.flatMap(({ key, used }) => [key, String(takenAmount(used))])
      await ask(() => seed([budgets, ...names], ['', ...values]), longDeadlineMs)
    },
    async list(prefix, after, limit) {
      const begin =
        after === null || Buffer.compare(Buffer.from(after), Buffer.from(prefix)) < 0
          ? `[${prefix}`
          : `(${after}`
      const answer = await ask(
        () => list([budgets], [usePrefix, prefix, begin, String(limit)]),
        longDeadlineMs,
      )
      return Array.from({ length: answer.length / 2 }, (_, index) => {
        return { key: String(answer[index * 2]), used: Number(answer[index * 2 + 1]) }
      })
    },
  }
}

/** The counters, then their leases. */
function namesOf(items: readonly { key: string }[]): string[] {
  return [...items.map(({ key }) => usePrefix + key), ...items.map(({ key }) => leasesPrefix + key)]
}

function textsOf(window: CounterWindow | null): [string, string] {
  return window === null ? ['0', '0'] : [String(window.lengthMs), String(window.offsetMs)]
}

function readingAt(answer: readonly (string | number)[], index: number): CounterReading {
  return { used: Number(answer[index]), reserved: Number(answer[index + 1]) }
}
