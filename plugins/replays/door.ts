/**
 * Appends pairs to a running replay of the type `shadow`. A pair consists of a caller's request and its run against
 * another config in the background. The first pair opens the replay; when it is full, the next pair opens another. Any
 * process may append, and each appends to its own work item, whose lease it holds.
 */

import { type Commits, createCommits, type Engine, LostLease } from '@gateway/batches/engine'
import { isGatewayError, type LogEntry, type Outgoing } from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import { matchTools } from './compare/match.ts'
import { readSide } from './compare/side.ts'
import { createJsonCheck, wantedSchema } from './compare/wanted-json.ts'
import type { ReplayData, ShownConfig, StoredPair } from './entities.ts'
import { mostPairs } from './positions.ts'
import { requestOf } from './request-of.ts'
import { newSeed } from './statistics/random.ts'
import { isEnded, type ReplayDocument, type ReplayStore } from './store.ts'

export interface ShadowedPair {
  /** The log entry of the caller's request. */
  baseline: LogEntry
  /** The log entry of the shadow. */
  candidate: LogEntry
  /** Log entries and charges of the shadow that are delivered with the pair; empty if they are already recorded. */
  outgoing: readonly Outgoing[]
}

/** A shadow of a workspace and key. All pairs of the same workspace and key are in one replay. */
export interface Shadow {
  organisationId: string
  workspaceId: string
  /**
   * Identifies the comparison within its workspace, without secrets: the config, the path of its node, and the other
   * config.
   */
  key: string
  /** Identifies the node, whatever other configs it has had. */
  of: string
  name: string
  /** The config as shown to users: a reference, or an inline config with its secrets masked. */
  config: ShownConfig
  /** US dollars per day. */
  budget: number | null
  declared: NonNullable<ReplayData['shadow']>
}

export interface PairDoor {
  /** Resolves to the id of the replay that contains the pair. Errors: those of the store. */
  append(shadow: Shadow, pair: ShadowedPair): Promise<string>
  /** Counts the appended pairs and releases this process's leases. */
  close(): Promise<void>
}

interface Segment {
  id: string
  fence: number
  commits: Commits
  /** The position of the newest pair. */
  last: number
  /** Pairs that are not included in the replay's counts yet. */
  uncounted: Pick<StoredPair, 'is_redacted' | 'spent'>[]
  /** The replay's number of pairs at the last count. */
  total: number
  /** Whether the replay has ended. */
  isOver: boolean
  timers: readonly NodeJS.Timeout[]
}

const leaseMs = 15_000
const renewMs = 5000
const countsMs = 1000
/** Each process writes its pairs to its own segment of positions, so they never collide. */
const segmentSize = 10_000

/** A commit occupies the store's thread for some milliseconds, however few pairs it contains. */
const commitPauseMs = 50

/** Pairs that arrive during this pause are committed together. */
const slots = {
  beforeCommit: () => new Promise<void>((resolve) => setTimeout(resolve, commitPauseMs)),
}

export function createPairDoor({ context, handOver }: Engine, store: ReplayStore): PairDoor {
  const segments = new Map<string, Promise<Segment | null>>()
  /** Running replays by key. Each is looked up again after a while, because it may have ended. */
  const found = new Map<string, { id: string; at: number }>()
  const { work } = context

  /** Registers this process with the replay. Null if the replay has ended. */
  async function open(replayId: string): Promise<Segment | null> {
    const id = `${replayId}/${crypto.randomUUID()}`
    const replay = await store.change(
      replayId,
      (current) => (isEnded(current) ? null : { data: { segments: [...(current.data.segments ?? []), id] } }),
      true,
    )
    const place = replay?.data.segments?.indexOf(id) ?? -1
    if (replay === null || place === -1) return null
    const fence = await work.acquire(id, leaseMs, context.now())
    if (fence === null) return null
    const segment: Segment = {
      id,
      fence,
      commits: createCommits({ context, id, kind: 'replay', fence, handOver, slots }),
      last: place * segmentSize,
      uncounted: [],
      total: replay.data.counts.total,
      isOver: false,
      timers: [
        // If the lease is lost, the next commit fails.
        setInterval(
          () => void work.renew(id, fence, { ttlMs: leaseMs, nowMs: context.now() }).catch(() => false),
          renewMs,
        ),
        // If a count fails, the next one includes these pairs.
        setInterval(() => void count(replayId, segment).catch(() => undefined), countsMs),
      ],
    }
    for (const timer of segment.timers) timer.unref()
    return segment
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
    const opened = segments.get(replayId)
    segments.delete(replayId)
    for (const [key, { id }] of found) if (id === replayId) found.delete(key)
    const segment = await opened
    if (segment == null) return
    for (const timer of segment.timers) clearInterval(timer)
    await count(replayId, segment)
    await work.release(segment.id, segment.fence)
  }

  /** Adds this process's pairs to the counts of the replay. */
  async function count(replayId: string, segment: Segment): Promise<void> {
    const added = segment.uncounted
    if (added.length === 0) return
    segment.uncounted = []
    try {
      const replay = await store.change(
        replayId,
        ({ data: { counts, spent } }) => ({
          data: {
            counts: {
              ...counts,
              total: counts.total + added.length,
              completed: counts.completed + added.length,
              redacted: counts.redacted + added.filter((pair) => pair.is_redacted).length,
            },
            spent: added.reduce((sum, pair) => sum + pair.spent, spent),
          },
        }),
        true,
      )
      segment.isOver = replay === null || isEnded(replay)
      segment.total = replay?.data.counts.total ?? segment.total
    } catch (error) {
      segment.uncounted = [...added, ...segment.uncounted]
      throw error
    }
  }

  /** Finds the running replay of a shadow, or creates one. */
  async function findOrCreate(shadow: Shadow): Promise<string> {
    const key = `shadow/${shadow.workspaceId}/${shadow.key}`
    // Old entries are removed first, because callers can send any number of shadows in inline configs.
    for (const [each, { at }] of found) if (context.now() - at >= countsMs) found.delete(each)
    const known = found.get(key)
    if (known !== undefined) return known.id
    for (;;) {
      const replay = await context.documents.findByKey('replay', key)
      const document = replay ?? draftOf(shadow, key, context.now())
      try {
        if (replay === null) await context.documents.commit([{ op: 'put', document, expected: 0 }])
        found.set(key, { id: document.id, at: context.now() })
        return document.id
      } catch (error) {
        // Another process has created it.
        if (!isGatewayError(error) || error.status !== 409) throw error
      }
    }
  }

  /** Ends a replay that is full or was cancelled. The next pair opens another. */
  const end = (replayId: string) =>
    store.change(replayId, ({ status, keys, data }) =>
      keys.length === 0
        ? null
        : {
            ...(status === 'running' ? { status: 'completed' as const } : {}),
            keys: [],
            data: { ended_at: data.ended_at ?? context.now() },
          },
    )

  /** Resolves to false if the replay has ended. */
  async function appendTo(replayId: string, pair: StoredPair, shadowed: ShadowedPair): Promise<boolean> {
    const segment = await segmentOf(replayId)
    if (segment === null || segment.isOver || segment.total + segment.uncounted.length >= mostPairs)
      return false
    segment.last += 1
    const { outgoing } = shadowed
    try {
      await segment.commits.add({ position: segment.last, data: JSON.stringify(pair), outgoing })
      segment.uncounted.push(pair)
    } catch (error) {
      // This process was suspended for longer than its lease. The next pair opens another segment.
      if (!(error instanceof LostLease)) throw error
      await leave(replayId)
      return appendTo(replayId, pair, shadowed)
    }
    return true
  }

  return {
    async append(shadow, shadowed) {
      const pair = await pairOf(shadowed)
      for (;;) {
        const replayId = await findOrCreate(shadow)
        if (await appendTo(replayId, pair, shadowed)) return replayId
        await leave(replayId)
        await end(replayId)
      }
    },
    async close() {
      await Promise.all([...segments.keys()].map(leave))
    },
  }
}

function draftOf(
  { organisationId, workspaceId, name, config, of, budget, declared }: Shadow,
  key: string,
  nowMs: number,
): Omit<ReplayDocument, 'version'> {
  const data: ReplayData = {
    type: 'shadow',
    filter: {},
    sample: mostPairs,
    seed: newSeed(),
    config,
    judge: null,
    sealed: '',
    concurrency: 0,
    budget,
    shadow: declared,
    counts: { total: 0, completed: 0, failed: 0, skipped: 0, redacted: 0 },
    spent: 0,
    unsettled: 0,
    caller: null,
    client_ip: '',
    made_by: null,
    started_at: nowMs,
    ended_at: null,
    error: null,
    report: null,
    isPruned: false,
  }
  return {
    kind: 'replay',
    id: timeOrderedId(nowMs),
    organisation_id: organisationId,
    workspace_id: workspaceId,
    slug: null,
    name,
    status: 'running',
    created_at: nowMs,
    last_updated_at: nowMs,
    keys: [key],
    attributes: { type: ['shadow'], pairs: ['kept'], shadow_of: [of] },
    data,
  }
}

/** Compares both entries like a replay does. */
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
