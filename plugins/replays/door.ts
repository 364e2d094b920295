/**
 * Appends pairs to a running replay of the type `shadow`: of requests that a caller sent and that ran against another
 * config in the background. Any process may append; each appends to a work of its own, whose lease it holds.
 */
import { type Commits, createCommits, type Engine, LostLease } from '@gateway/batches/engine'
import type { LogEntry, Outgoing } from '@gateway/contract'
import { matchTools } from './compare/match.ts'
import { readSide } from './compare/side.ts'
import { createJsonCheck, wantedSchema } from './compare/wanted-json.ts'
import type { StoredPair } from './entities.ts'
import { mostPairs } from './positions.ts'
import { requestOf } from './request-of.ts'
import { isEnded, type ReplayStore } from './store.ts'

export interface ShadowedPair {
  /** The caller's request, as it was logged. */
  baseline: LogEntry
  /** The shadow's. */
  candidate: LogEntry
  /** Log entries and charges of the shadow that are delivered with the pair; empty if they were recorded already. */
  outgoing: readonly Outgoing[]
}

/** `ended`: the replay is full, or no longer runs; open another one. */
export type Appended = 'appended' | 'ended'

export interface PairDoor {
  append(replayId: string, pair: ShadowedPair): Promise<Appended>
  /** Ends this process's leases. */
  close(): Promise<void>
}

interface Segment {
  id: string
  fence: number
  commits: Commits
  /** The position of the newest pair. */
  last: number
  timer: NodeJS.Timeout
}

const leaseMs = 15_000
const renewMs = 5000
/** Positions of a process's pairs do not meet those of others. */
const segmentSize = 10_000

export function createPairDoor({ context, handOver, slots }: Engine, store: ReplayStore): PairDoor {
  const segments = new Map<string, Promise<Segment | null>>()
  const { work } = context.ports

  /** Registers this process with the replay. Null: the replay has ended. */
  async function open(replayId: string): Promise<Segment | null> {
    const id = `${replayId}/${crypto.randomUUID()}`
    const replay = await store.change(
      replayId,
      (found) => (isEnded(found) ? null : { data: { segments: [...(found.data.segments ?? []), id] } }),
      true,
    )
    const place = replay?.data.segments?.indexOf(id) ?? -1
    if (replay === null || place === -1) return null
    const fence = await work.acquire(id, leaseMs, context.now())
    if (fence === null) return null
    const timer = setInterval(() => {
      // If the lease is lost, the next commit says so.
      work.renew(id, fence, leaseMs, context.now()).catch(() => undefined)
    }, renewMs)
    timer.unref()
    const commits = createCommits({ context, id, kind: 'replay', fence, handOver, slots })
    return { id, fence, commits, last: place * segmentSize, timer }
  }

  const segmentOf = (replayId: string): Promise<Segment | null> => {
    const known = segments.get(replayId)
    if (known !== undefined) return known
    const opened = open(replayId)
    segments.set(replayId, opened)
    opened.catch(() => segments.delete(replayId))
    return opened
  }

  async function leave(replayId: string): Promise<void> {
    const segment = await segments.get(replayId)
    segments.delete(replayId)
    if (segment == null) return
    clearInterval(segment.timer)
    await work.release(segment.id, segment.fence)
  }

  /** Counts the pair; false: the replay is full or no longer runs. */
  async function count(replayId: string, { is_redacted: isRedacted, spent }: StoredPair): Promise<boolean> {
    let isOpen = false
    await store.change(
      replayId,
      (replay) => {
        const { counts, spent: before } = replay.data
        isOpen = !isEnded(replay) && counts.total < mostPairs
        if (!isOpen) return null
        const next = {
          ...counts,
          total: counts.total + 1,
          completed: counts.completed + 1,
          redacted: counts.redacted + (isRedacted ? 1 : 0),
        }
        return { data: { counts: next, spent: before + spent } }
      },
      true,
    )
    return isOpen
  }

  return {
    async append(replayId, shadowed) {
      const segment = await segmentOf(replayId)
      if (segment === null) return 'ended'
      const pair = await pairOf(shadowed)
      if (!(await count(replayId, pair))) {
        await leave(replayId)
        return 'ended'
      }
      segment.last += 1
      try {
        await segment.commits.add({
          position: segment.last,
          data: JSON.stringify(pair),
          outgoing: shadowed.outgoing,
        })
      } catch (error) {
        // Another process cannot have it: this one was stopped for longer than the lease. The next pair opens another.
        if (!(error instanceof LostLease)) throw error
        await leave(replayId)
      }
      return 'appended'
    },
    async close() {
      await Promise.all([...segments.keys()].map(leave))
    },
  }
}

/** Compares both entries, as a replay does. */
async function pairOf({ baseline, candidate }: ShadowedPair): Promise<StoredPair> {
  const request = requestOf(baseline)
  const schema = typeof request === 'string' ? null : wantedSchema(request.body)
  const check = schema === null ? null : createJsonCheck(schema, new AbortController().signal)
  const [one, other] = await Promise.all([readSide(baseline, check), readSide(candidate, check)])
  return {
    baseline_id: baseline.id,
    candidate_id: candidate.id,
    api_key_id: baseline.fields.api_key_id ?? null,
    outcome: 'completed',
    reason: null,
    is_redacted: typeof request !== 'string' && request.isRedacted,
    baseline: one.side,
    candidate: other.side,
    match: { ...matchTools(one.answer, other.answer), similarity: null },
    judge: null,
    spent: candidate.fields.cost ?? 0,
    reservations: [],
  }
}
