/**
 * Counters on Redis: scripts use the server's clock, because processes may have different clocks. Windows and leases
 * expire by themselves; budgets stay until they are reset. Reservations and settlements of one turn of the event loop
 * are one script call, which waits as long as the connection is open. Errors: `dependency_unavailable`.
 */
import type { Counters, CounterWindow, KeptWindow } from '@gateway/contract'
import { isOpenWindow, takenAmount, windowOfLength } from '@gateway/domain'
import { type Connection, mostCommands } from './connection.ts'
import { amountOf, readingAt } from './counter-amounts.ts'
import { budgets, usePrefix } from './counter-names.ts'
import * as scripts from './counter-scripts.ts'
import { stepsScript } from './counter-steps-script.ts'
import { groupSteps } from './group-steps.ts'
import { limitInFlight } from './in-flight.ts'
import { prepareScript } from './script.ts'

/** Leaves room for other commands. */
const mostInFlight = mostCommands / 2

export interface RedisCountersOptions {
  /** The clock. `caller` is for tests with a fake clock. */
  clock?: 'server' | 'caller'
}

/** Counters that all processes on this Redis share. */
export function createCounters(connection: Connection, options: RedisCountersOptions = {}): Counters {
  const { client, wait } = connection
  const { clock = 'server' } = options
  const inTurn = limitInFlight(mostInFlight)
  const ask = <T>(command: () => Promise<T>) => inTurn(() => wait(command))
  const runSteps = prepareScript(client, stepsScript)
  const steps = groupSteps((nowMs, input) => ask(() => runSteps([], [timeOf(nowMs), input])))
  const read = prepareScript(client, scripts.readScript)
  const reset = prepareScript(client, scripts.resetScript)
  const seed = prepareScript(client, scripts.seedScript)
  const list = prepareScript(client, scripts.listScript)
  const readWindows = prepareScript(client, scripts.windowsScript)
  const seedWindows = prepareScript(client, scripts.seedWindowsScript)
  const timeOf = (nowMs: number) => (clock === 'caller' ? String(nowMs) : '')

  return {
    async reserve(id, reservations, lease) {
      return steps.reserve(id, reservations, lease)
    },
    async settle(id, used, nowMs) {
      return steps.settle(id, used, nowMs)
    },
    async read(keys, nowMs) {
      const names = keys.map(({ key }) => usePrefix + key)
      const values = keys.flatMap(({ key, window }) => [key, ...textsOf(window)])
      const answer = await ask(() => read(names, [timeOf(nowMs), ...values]))
      return keys.map((_, index) => readingAt(answer, index * 2))
    },
    async reset(keys) {
      if (keys.length === 0) return
      const names = keys.map((key) => usePrefix + key)
      await ask(() => reset(names, []))
    },
    async seed(seeds) {
      if (seeds.length === 0) return
      const names = seeds.map(({ key }) => usePrefix + key)
      const values = seeds.flatMap(({ key, used }) => [key, String(takenAmount(used))])
      await ask(() => seed(names, ['', ...values]))
    },
    async list(prefix, after, limit) {
      const begin =
        after === null || Buffer.compare(Buffer.from(after), Buffer.from(prefix)) < 0
          ? `[${prefix}`
          : `(${after}`
      const answer = await ask(() => list([budgets], [usePrefix, prefix, begin, String(limit)]))
      return Array.from({ length: answer.length / 2 }, (_, index) => {
        return { key: String(answer[index * 2]), used: Number(answer[index * 2 + 1]) }
      })
    },
    async listWindows(cursor, limit, nowMs) {
      // Windows have no index: they change with every request and are rarely listed.
      const found = await ask(() =>
        client.scan(cursor ?? firstCursor, { MATCH: `${usePrefix}*`, COUNT: limit }),
      )
      const next = String(found.cursor) === firstCursor ? null : String(found.cursor)
      if (found.keys.length === 0) return { windows: [], next }
      const [now, ...answer] = (await ask(() => readWindows(found.keys, [timeOf(nowMs)]))).map(amountOf)
      const windows = found.keys
        .map((name, index) => windowAt(name.slice(usePrefix.length), answer, index * 4))
        .filter(({ use }) => isOpenWindow(use, now ?? nowMs))
      return { windows, next }
    },
    async seedWindows(windows) {
      if (windows.length === 0) return
      const names = windows.map(({ key }) => usePrefix + key)
      const values = windows.flatMap(({ use }) => {
        const amounts = [takenAmount(use.current), takenAmount(use.previous)]
        return [...textsOf(windowOfLength(use.lengthMs)), String(use.bucket), ...amounts.map(String)]
      })
      await ask(() => seedWindows(names, ['', ...values]))
    },
  }
}

/** The cursor with which a scan begins, and which it returns at the end. */
const firstCursor = '0'

function windowAt(key: string, answer: readonly number[], at: number): KeptWindow {
  const [lengthMs = 0, bucket = 0, current = 0, previous = 0] = answer.slice(at, at + 4)
  return { key, use: { lengthMs, bucket, current, previous } }
}

function textsOf(window: CounterWindow | null): [string, string] {
  return window === null ? ['0', '0'] : [String(window.lengthMs), String(window.offsetMs)]
}
