/** Removes the pairs of ended replays when the compared log entries are past their retention. */
import type { Engine } from '@gateway/batches/engine'
import type { Job } from '@gateway/contract'
import { typedDocuments } from '@gateway/domain'
import { reportOf } from './report.ts'
import type { ReplayStore } from './store.ts'

const intervalMs = 3_600_000
const dayMs = 86_400_000
const atOnce = 100

export const pruneJob = ({ context }: Engine<'logs'>, store: ReplayStore): Job => ({
  name: 'replays',
  intervalMs,
  async run(nowMs) {
    const before = nowMs - context.logs.settings().retentionDays * dayMs
    const { documents } = await typedDocuments(context.documents).list(
      'replay',
      {
        statuses: ['completed', 'failed', 'cancelled', 'budget_exhausted'],
        attributes: { pairs: ['kept'] },
        created_to: before,
      },
      { sort: 'created_at', order: 'asc', offset: 0, limit: atOnce },
    )
    for (const replay of documents) {
      if ((replay.data.ended_at ?? nowMs) > before) continue
      const pairs = replay.data.report === null ? await store.pairsOf(replay) : []
      const report =
        replay.data.report ??
        (await reportOf(
          pairs.map(({ pair }) => pair),
          replay.data.seed,
          context.stopping,
        ))
      for (const work of [replay.id, ...(replay.data.segments ?? [])]) await context.work.clear(work)
      await store.change(
        replay.id,
        ({ attributes: { pairs: _, ...attributes } }) => ({ attributes, data: { report, isPruned: true } }),
        true,
      )
    }
  },
})
