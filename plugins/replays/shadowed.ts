/**
 * Stores the pairs of shadows in running replays: one replay for each shadow of a config and its other config. When the
 * other config changes, the replay ends and the next pair opens another. A replay without new pairs ends after a day.
 */

import { createHash } from 'node:crypto'
import type { Engine } from '@gateway/batches/engine'
import { isObject, type Job, type ShadowedRequest } from '@gateway/contract'
import { maskContent, typedDocuments } from '@gateway/domain'
import type { PairDoor, Shadow } from './door.ts'
import type { ReplayEngine } from './engine.ts'
import { isEnded, type ReplayStore } from './store.ts'

const hourMs = 3_600_000
const idleMs = 24 * hourMs
const pageSize = 500
const mostKnown = 1000

interface Parts {
  engine: ReplayEngine
  store: ReplayStore
  door: PairDoor
}

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url')

function shadowOf({ context }: Engine<'sealer'>, shadowed: ShadowedRequest): Shadow {
  const { baseline, budgetPerDay, config, path, samplePercent, shadow } = shadowed
  const place = config?.id ?? hashOf(shadow)
  const name = `Shadow of ${config?.slug ?? 'a config in requests'} (${path})`
  return {
    organisationId: baseline.organisation_id,
    workspaceId: baseline.workspace_id ?? '',
    of: hashOf([place, path]),
    key: hashOf([place, path, shadow]),
    name: name.slice(0, 255),
    config: isObject(shadow) ? maskContent(shadow, context.sealer, 'inline') : shadow,
    budget: budgetPerDay,
    declared: { config: config?.slug ?? null, path, sample_percent: samplePercent },
  }
}

/** Appends each pair to the replay of its shadow. */
export function createShadowIntake({
  engine,
  store,
  door,
}: Parts): (shadowed: ShadowedRequest) => Promise<void> {
  /** The replay that received the last pair of each declared shadow. */
  const last = new Map<string, string>()

  return async (shadowed) => {
    const shadow = shadowOf(engine, shadowed)
    const { baseline, candidate } = shadowed
    const id = await door.append(shadow, { baseline, candidate, outgoing: [] })
    if (last.get(shadow.of) === id) return
    await endOthers(engine, store, { ...shadow, id })
    last.delete(shadow.of)
    last.set(shadow.of, id)
    for (const oldest of last.keys()) {
      if (last.size <= mostKnown) break
      last.delete(oldest)
    }
  }
}

/** Ends replays of the same shadow with another config. */
async function endOthers(
  { context }: Engine,
  store: ReplayStore,
  { workspaceId, of, id }: Pick<Shadow, 'workspaceId' | 'of'> & { id: string },
): Promise<void> {
  const { documents } = await typedDocuments(context.documents).list(
    'replay',
    { statuses: ['running'], workspace_ids: [workspaceId], attributes: { shadow_of: [of] } },
    { sort: 'created_at', order: 'asc', offset: 0, limit: pageSize },
  )
  for (const other of documents) if (other.id !== id) await end(store, other.id, context.now())
}

const end = (store: ReplayStore, id: string, nowMs: number) =>
  store.change(id, (replay) =>
    isEnded(replay) ? null : { status: 'completed', keys: [], data: { ended_at: nowMs } },
  )

/** Ends replays of shadows without new pairs for a day. */
export const shadowJob = ({ context }: Engine, store: ReplayStore): Job => ({
  name: 'idle-shadows',
  intervalMs: hourMs,
  async run(nowMs) {
    const { documents } = await context.documents.list(
      'replay',
      { statuses: ['running'], attributes: { type: ['shadow'] } },
      { sort: 'last_updated_at', order: 'asc', offset: 0, limit: pageSize },
    )
    for (const { id, last_updated_at: last } of documents)
      if (nowMs - last > idleMs) await end(store, id, nowMs)
  },
})
