/** Hourly aggregates, for copying them from one store to another. */
import type { LogAggregate, LogAggregates, LogValue } from '@gateway/contract'
import { totalNames } from '@gateway/domain'
import { aggregateKey } from './aggregate.ts'
import { createBound } from './bound.ts'
import type { Connection } from './connection.ts'
import { isUnfinished, openRemovals } from './removal-rows.ts'

interface AggregateRow extends Record<(typeof totalNames)[number], number> {
  created_at: number
  first_at: number
  last_at: number
  bins: number[]
  counts: number[]
}

export function createAggregates(connection: Connection): LogAggregates {
  return {
    async next(after) {
      const bound = createBound()
      const unfinished = (await openRemovals(connection)).filter(isUnfinished).map(({ id }) => id)
      const counted = `removal_id not in ${bound.value('Array(UUID)', unfinished)}`
      const behind = after === null ? '1' : `created_at > ${bound.value('Int64', after)}`
      const totals = totalNames.map((name) => `sum(log_aggregates.${name}) as ${name}`)
      const rows = await connection.rows<AggregateRow & Record<string, LogValue>>(
        `select ${aggregateKey.join(', ')}, created_at, ${totals.join(', ')},
          min(log_aggregates.first_at) as first_at, max(log_aggregates.last_at) as last_at,
          (sumMap(log_aggregates.bins, log_aggregates.counts) as summed).1 as bins, summed.2 as counts
        from log_aggregates
        where ${counted} and
          created_at = (select min(created_at) from log_aggregates where ${counted} and ${behind})
        group by created_at, ${aggregateKey.join(', ')}`,
        bound.parameters,
      )
      const [first] = rows
      if (first === undefined) return null
      return {
        created_at: first.created_at,
        aggregates: rows.map((row): LogAggregate => {
          const { bins, counts, created_at: _, ...rest } = row
          const key = Object.fromEntries(aggregateKey.map((name) => [name, rest[name] ?? null]))
          const totals = Object.fromEntries(totalNames.map((name) => [name, rest[name]])) as Record<
            (typeof totalNames)[number],
            number
          >
          return {
            ...totals,
            key,
            first_at: rest.first_at,
            last_at: rest.last_at,
            histogram: bins.map((bin, index) => [bin, counts[index] ?? 0] as const),
          }
        }),
      }
    },
    async put({ created_at, aggregates }) {
      if (aggregates.length === 0) return
      const bound = createBound()
      const organisations = [...new Set(aggregates.map(({ key }) => String(key.organisation_id)))]
      await connection.run(
        `delete from log_aggregates where created_at = ${bound.value('Int64', created_at)}
        and organisation_id in ${bound.value('Array(String)', organisations)}`,
        bound.parameters,
      )
      const rows = aggregates.map(({ key, histogram, ...rest }) => ({
        ...rest,
        ...key,
        created_at,
        bins: histogram.map(([bin]) => bin),
        counts: histogram.map(([, count]) => count),
      }))
      await connection.insert('log_aggregates', rows)
    },
  }
}
