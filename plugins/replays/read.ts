/** Finds replays that a caller may see, and computes their reports. */
import type { Engine } from '@gateway/batches/engine'
import type { JsonObject } from '@gateway/contract'
import { type Call, isId, listAnswer, notFound, pagingOf } from '@gateway/control-plane/engine'
import { type Sight, seesOwnOnly, sightOf } from '@gateway/observability/visible-logs'
import { emptyReport, presentReplay } from './present.ts'
import { type Report, reportOf } from './report.ts'
import { isEnded, type ReplayDocument, type ReplayStore } from './store.ts'

/** Finds one replay. Errors: 403 `missing_scope`; 404 `not_found`. */
export async function findReplay(call: Call, store: ReplayStore, scope: string): Promise<ReplayDocument> {
  const { id = '' } = call.request.params
  const found = isId(id) ? await store.get(id) : null
  const missing = notFound('path/id', 'replay')
  if (found === null || found.organisation_id !== call.organisationId) throw missing
  const visible = await call.visibleWorkspaces()
  if (visible !== null && !visible.includes(found.workspace_id ?? '')) throw missing
  await call.require([scope], found.workspace_id)
  // A report covers other users' calls.
  const isLimited = found.workspace_id !== null && (await seesOwnOnly(call, found.workspace_id))
  if (isLimited && found.data.made_by !== makerOf(call)) throw missing
  return found
}

export const makerOf = ({ identity }: Call): string | null => identity.userId ?? identity.keyId

/** The log entries of a replay that the caller may see. */
export const sightOn = (call: Call, { workspace_id }: ReplayDocument): Promise<Sight> =>
  sightOf(call, 'logs.view', { workspace_id: workspace_id ?? '' })

export async function listReplays(call: Call): Promise<JsonObject> {
  const named = call.query.workspace_id
  const wanted =
    named === undefined ? await call.visibleWorkspaces() : [(await call.workspace(String(named))).id]
  const held: string[] = []
  for (const id of wanted ?? []) if (await call.holds('replays.list', id)) held.push(id)
  if (wanted === null || held.length === 0) await call.require(['replays.list'], wanted?.[0] ?? null)
  let isLimited = false
  for (const id of held) isLimited ||= await seesOwnOnly(call, id)
  const paging = pagingOf(call.query)
  const { total, documents } = await call.documents.list(
    'replay',
    {
      organisation_id: call.organisationId,
      ...(wanted === null ? {} : { workspace_ids: held }),
      ...(isLimited ? { attributes: { made_by: [makerOf(call) ?? ''] } } : {}),
      ...(call.query.status === undefined ? {} : { statuses: String(call.query.status).split(',') }),
    },
    {
      sort: 'created_at',
      order: 'desc',
      offset: paging.current_page * paging.page_size,
      limit: paging.page_size,
    },
  )
  return listAnswer(documents.map(presentReplay), total, paging)
}

export interface Reports {
  /** Returns the replay with its report: the stored one if it has ended, otherwise one of its pairs so far. */
  of(replay: ReplayDocument): Promise<JsonObject>
}

interface Computed {
  report: Promise<Report>
  /** The number of pairs in the report. */
  pairs: number
  at: number
  /** The computation time; null until it is complete. */
  tookMs: number | null
}

/** After this time, a running replay's report is computed again if it has more pairs. */
const freshMs = 5000
/** Reports of long replays take seconds. At most this share of the time is spent on computing one. */
const share = 0.05
const mostKept = 50

export function createReports({ context }: Engine, store: ReplayStore): Reports {
  const kept = new Map<string, Computed>()

  const isFresh = ({ at, tookMs }: Computed): boolean =>
    tookMs === null || context.now() - at < Math.max(freshMs, tookMs / share)

  function compute(replay: ReplayDocument): Promise<Report> {
    const { id, data } = replay
    const { completed, failed, skipped } = data.counts
    const pairs = completed + failed + skipped
    const known = kept.get(id)
    if (known !== undefined && (known.pairs === pairs || isFresh(known))) return known.report
    const startedAt = performance.now()
    const report = store.pairsOf(replay).then((found) =>
      reportOf(
        found.map(({ pair }) => pair),
        data.seed,
        context.stopping,
      ),
    )
    const computed: Computed = { report, pairs, at: context.now(), tookMs: null }
    kept.delete(id)
    kept.set(id, computed)
    report.then(
      () => {
        computed.tookMs = performance.now() - startedAt
      },
      () => kept.delete(id),
    )
    for (const oldest of kept.keys()) {
      if (kept.size <= mostKept) break
      kept.delete(oldest)
    }
    return report
  }

  return {
    async of(replay) {
      const shown = presentReplay(replay)
      const { report, isPruned } = replay.data
      if (report !== null) return { ...shown, ...report }
      if (isPruned || (replay.status === 'queued' && !isEnded(replay))) return { ...shown, ...emptyReport }
      return { ...shown, ...(await compute(replay)) }
    },
  }
}
