/** Hourly aggregates, for copying them from one store to another. */
import type { LogAggregate, LogAggregateHour, LogAggregates, LogGroup } from '@gateway/contract'
import { createGroups, totalNames } from '@gateway/domain'
import { sql } from 'kysely'
import { integer } from '../values.ts'
import { addGroups } from './aggregate.ts'
import { type AggregateGroup, aggregateKey, insertAggregates, namesOf, type Pruning } from './prune.ts'

export function createAggregates({ database, names }: Pick<Pruning, 'database' | 'names'>): LogAggregates {
  const { engine, read, write } = database
  return {
    async next(after) {
      const behind = after === null ? sql`1 = 1` : sql`created_at > ${integer(after)}`
      const { rows } = await sql<{ hour: number | null }>`select min(created_at) as hour from log_aggregates
        where ${behind}`.execute(read)
      const hour = rows[0]?.hour ?? null
      if (hour === null) return null
      const groups = createGroups()
      await addGroups(groups, {
        engine,
        names,
        queries: read,
        table: 'log_aggregates',
        conditions: [sql`log_aggregates.created_at = ${integer(hour)}`],
        aggregation: { by: aggregateKey, histogram: true },
      })
      return { created_at: hour, aggregates: groups.finish().map(toAggregate) }
    },
    async put({ created_at, aggregates }) {
      const groups = aggregates.map((aggregate) => toGroup(created_at, aggregate))
      const organisations = [...new Set(aggregates.map(({ key }) => String(key.organisation_id)))]
      if (organisations.length === 0) return
      const numbers = await write(async (queries) => {
        const found = await names.number(queries, groups.flatMap(namesOf))
        const theirs = organisations.map((name) => integer(found.get(name) ?? -1))
        await sql`delete from log_aggregates where created_at = ${integer(created_at)}
          and organisation_id in (${sql.join(theirs)})`.execute(queries)
        await insertAggregates({ engine, queries }, groups, found)
        return found
      })
      names.keep(numbers)
    },
  }
}

function toAggregate(group: LogGroup): LogAggregate {
  const totals = Object.fromEntries(totalNames.map((name) => [name, group[name]])) as Record<
    (typeof totalNames)[number],
    number
  >
  return {
    ...totals,
    key: Object.fromEntries(aggregateKey.map((name, index) => [name, group.values[index] ?? null])),
    first_at: group.first_at,
    last_at: group.last_at,
    histogram: [...group.histogram],
  }
}

const toGroup = (hour: LogAggregateHour['created_at'], aggregate: LogAggregate): AggregateGroup => {
  const { key, histogram, ...rest } = aggregate
  return {
    ...rest,
    bucket: hour,
    values: aggregateKey.map((name) => key[name] ?? null),
    histogram: new Map(histogram),
  }
}
