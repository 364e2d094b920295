/**
 * Requests that wait until a target has room: higher priority first, then in order of arrival. Keys of the same
 * priority take turns, so a key with many requests does not delay the others. A request never overtakes another one
 * that waits for the same target, so large requests are served too. The number of waiting requests is bounded, and one
 * key gets at most half of the places.
 */
import type { Hold, Place, TargetCapacity, Ticket, Waited, WaitOutcome, WaitQueue } from '@gateway/flow'

export interface WaitQueueOptions {
  maxWaiting(): number
}

export interface ServedQueue extends WaitQueue {
  /** Serves the waiting requests for which there is capacity; call it after every change. */
  serve(): void
}

interface Waiting {
  place: Place
  /** Position among the requests of its priority: how many turns its key had before it. */
  turn: number
  /** Order of arrival. */
  arrival: number
  timer: NodeJS.Timeout
  end(waited: Waited): void
}

/** Wakes up at least this often while requests wait. */
const heartbeatMs = 1000

export function createWaitQueue({ maxWaiting }: WaitQueueOptions): ServedQueue {
  /** In the order in which they are served. */
  let waiting: Waiting[] = []
  /** The number of requests that wait for a target, and of those that belong to a key. */
  const awaited = new Map<TargetCapacity, number>()
  const perCaller = new Map<string, number>()
  /** The number of requests that could also use a target without a limit. */
  let elsewhere = 0
  /** The turn that is served, and the last turn of each key, by priority. */
  const turns = new Map<number, { current: number; last: Map<string, number> }>()
  let arrivals = 0
  let isStopped = false
  let wakeUp: NodeJS.Timeout | undefined

  /**
   * @param isReturning whether the request was served before and found no room: it keeps its position before later
   * arrivals
   */
  function turnOf({ priority, caller }: Place, isReturning: boolean): number {
    const known = turns.get(priority) ?? { current: 0, last: new Map<string, number>() }
    turns.set(priority, known)
    if (isReturning) return known.current
    const turn = Math.max(known.current, (known.last.get(caller) ?? -1) + 1)
    known.last.set(caller, turn)
    return turn
  }

  function insert(entry: Waiting): void {
    let low = 0
    let high = waiting.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(waiting[middle] as Waiting, entry)) low = middle + 1
      else high = middle
    }
    waiting.splice(low, 0, entry)
    count(entry, 1)
  }

  function count({ place }: Waiting, change: 1 | -1): void {
    add(perCaller, place.caller, change)
    if (place.isOtherwiseFree !== null) elsewhere += change
    for (const { target } of place.seats) add(awaited, target, change)
  }

  /** An entry that has left the list. */
  function end(entry: Waiting, outcome: WaitOutcome, hold: Hold | null = null): void {
    clearTimeout(entry.timer)
    count(entry, -1)
    const { priority } = entry.place
    const known = turns.get(priority)
    if (known !== undefined && outcome === 'served') known.current = Math.max(known.current, entry.turn)
    if (known !== undefined && !waiting.some(({ place }) => place.priority === priority))
      turns.delete(priority)
    entry.end({ outcome, hold })
  }

  function remove(entry: Waiting, outcome: WaitOutcome): void {
    const at = waiting.indexOf(entry)
    if (at === -1) return
    waiting.splice(at, 1)
    end(entry, outcome)
    // Other requests may have waited only for this one.
    serve()
  }

  function serve(): void {
    clearTimeout(wakeUp)
    wakeUp = undefined
    if (waiting.length === 0) return
    const nowMs = Date.now()
    const taken = new Set<TargetCapacity>()
    const served: [entry: Waiting, hold: Hold | null][] = []
    let nextMs = nowMs + heartbeatMs
    for (const entry of waiting) {
      // Every target is awaited by an earlier request.
      if (taken.size === awaited.size && elsewhere === 0) break
      const found = roomFor(entry.place, taken, nowMs)
      if (found.isFree) served.push([entry, found.hold])
      else if (found.opensAt !== null) nextMs = Math.min(nextMs, found.opensAt)
    }
    if (served.length > 0) {
      const gone = new Set(served.map(([entry]) => entry))
      waiting = waiting.filter((entry) => !gone.has(entry))
      for (const [entry, hold] of served) end(entry, 'served', hold)
    }
    if (waiting.length > 0) wakeUp = setTimeout(serve, Math.max(1, nextMs - nowMs))
  }

  return {
    get size() {
      return waiting.length
    },
    isAwaited: (target) => awaited.has(target),
    join(place) {
      arrivals += 1
      const arrival = arrivals
      let current: Waiting | null = null
      return {
        wait: (longestWaitMs) =>
          new Promise((resolve) => {
            if (isStopped) return resolve({ outcome: 'stopping', hold: null })
            const most = maxWaiting()
            const own = perCaller.get(place.caller) ?? 0
            if (waiting.length >= most || own >= Math.ceil(most / 2))
              return resolve({ outcome: 'full', hold: null })
            const timer = setTimeout(() => remove(entry, 'timeout'), longestWaitMs)
            const turn = turnOf(place, current !== null)
            const entry: Waiting = { place, turn, arrival, timer, end: resolve }
            current = entry
            insert(entry)
            serve()
          }),
        leave: () => {
          if (current !== null) remove(current, 'left')
        },
      } satisfies Ticket
    },
    serve,
    stop() {
      isStopped = true
      clearTimeout(wakeUp)
      const all = waiting
      waiting = []
      for (const entry of all) end(entry, 'stopping')
      return all.length
    },
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  if (one.place.priority !== other.place.priority) return one.place.priority > other.place.priority
  return one.turn === other.turn ? one.arrival < other.arrival : one.turn < other.turn
}

function add<Key>(counts: Map<Key, number>, key: Key, change: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + change
  if (next === 0) counts.delete(key)
  else counts.set(key, next)
}

type Room = { isFree: true; hold: Hold | null } | { isFree: false; opensAt: number | null }

/** Room at the first target that has some; the targets that the request waits for are taken for those behind it. */
function roomFor({ seats, isOtherwiseFree }: Place, taken: Set<TargetCapacity>, nowMs: number): Room {
  let opensAt: number | null = null
  for (const { target, need } of seats) {
    if (taken.has(target)) continue
    const until = target.fullUntil(need, nowMs, null)
    if (until === null) return { isFree: true, hold: target.hold(need) }
    if (opensAt === null || until < opensAt) opensAt = until
  }
  if (isOtherwiseFree?.() === true) return { isFree: true, hold: null }
  for (const { target } of seats) taken.add(target)
  return { isFree: false, opensAt }
}
