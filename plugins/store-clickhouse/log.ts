/** The log of requests on ClickHouse. */
import type { Log } from '@gateway/contract'
import { timeOfId } from '@gateway/domain'
import { aggregate } from './aggregate.ts'
import { createAggregates } from './aggregates.ts'
import { createBound } from './bound.ts'
import { all, conditionsOf, idCondition } from './conditions.ts'
import type { Connection } from './connection.ts'
import { createFeedback } from './feedback.ts'
import { erase, type Pruning, prune, pruneAggregates } from './prune.ts'
import { type ContentRow, type FactRow, rowOf, toEntry, toSummary } from './rows.ts'
import type { Writer } from './writer.ts'

/** ClickHouse would compare the second half of a UUID first. */
const inOrder = 'toString(id)'

export function createLog(connection: Connection, writer: Writer): Log {
  const pruning: Pruning = { connection, ttl: { days: null }, now: Date.now }

  async function summaries(ids: readonly string[]) {
    const bound = createBound()
    const rows = await connection.rows<FactRow>(
      `select * from log_facts where ${idCondition(bound, ids)}`,
      bound.parameters,
    )
    return new Map(rows.map((row) => [row.id, toSummary(row)]))
  }

  return {
    append: (entries, { isDurable = false } = {}) => writer.append(entries.map(rowOf), { isDurable }),
    async list(filter, { after, offset = 0, limit, sort, order = 'desc' }) {
      const bound = createBound()
      const conditions = conditionsOf(filter, { bound })
      if (after !== undefined) {
        const [sign, at] = [order === 'asc' ? '>' : '<', timeOfId(after) ?? 0]
        conditions.push(`created_at ${sign}= ${bound.value('Int64', at)}`)
        conditions.push(
          `(created_at, ${inOrder}) ${sign} (${bound.value('Int64', at)}, ${bound.value('String', after)})`,
        )
      }
      const way = sort === undefined ? order : 'desc'
      const value = sort === undefined ? '' : `${sort} ${order} nulls last,`
      // Keys first, so that no other column is read for skipped rows.
      const keys = await connection.rows<{ id: string }>(
        `select id from log_facts where ${all(conditions)} order by ${value} created_at ${way}, ${inOrder} ${way}
        limit ${bound.value('UInt64', limit)} offset ${bound.value('UInt64', offset)}`,
        bound.parameters,
      )
      const ids = keys.map(({ id }) => id)
      const found = await summaries(ids)
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    async count(filter) {
      const bound = createBound()
      const [row] = await connection.rows<{ found: number }>(
        `select count() as found from log_facts where ${all(conditionsOf(filter, { bound }))}`,
        bound.parameters,
      )
      return row?.found ?? 0
    },
    async read(ids) {
      if (ids.length === 0) return []
      const bound = createBound()
      const [found, contents] = await Promise.all([
        summaries(ids),
        connection.rows<ContentRow>(
          `select * from log_contents where ${idCondition(bound, ids)} limit 1 by id`,
          bound.parameters,
        ),
      ])
      const contentOf = new Map(contents.map((row) => [row.id, row]))
      return ids.flatMap((id) => {
        const summary = found.get(id)
        return summary === undefined ? [] : [toEntry(summary, contentOf.get(id))]
      })
    },
    aggregate: (filter, aggregation) => aggregate(connection, filter, aggregation),
    async erase(filter, limit) {
      await writer.drain()
      return erase(pruning, filter, limit)
    },
    prune: (before, _limit, organisationId) => prune(pruning, before, organisationId),
    pruneAggregates: (before, _limit, organisationId) => pruneAggregates(pruning, before, organisationId),
    aggregates: createAggregates(connection),
    feedback: createFeedback(connection, (rows) => writer.putFeedback(rows)),
  }
}
