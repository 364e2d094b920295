/** The log of requests on SQL. */
import type { Log, LogAggregates } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { integer } from '../values.ts'
import { aggregate } from './aggregate.ts'
import { createAggregates } from './aggregates.ts'
import { all, conditionsOf, idCondition, idValue } from './conditions.ts'
import { createCounts } from './counts.ts'
import { createFeedback } from './feedback.ts'
import { createLogNames } from './names.ts'
import type { PackedEntries } from './packed-entries.ts'
import { readText } from './packed-texts.ts'
import { createPartitions } from './partitions.ts'
import { erase, prune, pruneAggregates } from './prune.ts'
import { type ContentRow, type FactRow, numbersIn, toEntry, toSummary } from './rows.ts'
import { writeEntries } from './write.ts'

/** The log with packed entries; feedback is a separate part. */
export type SqlLog = Omit<Log, 'append' | 'feedback' | 'aggregates'> & {
  appendPacked(entries: PackedEntries, isDurable: boolean): Promise<void>
}

export function createLog(database: Database): {
  log: SqlLog
  feedback: Log['feedback']
  aggregates: LogAggregates
} {
  const { engine, read } = database
  const names = createLogNames(engine)
  const partitions = engine === 'postgres' ? createPartitions(database) : null
  const counts = createCounts(database, names)
  const pruning = { database, names, partitions, counts }
  const options = { engine, names, queries: read }

  async function summaries(rows: readonly FactRow[]) {
    const texts = await names.read(read, numbersIn(rows))
    return rows.map((row) => toSummary(row, texts))
  }

  const log: SqlLog = {
    appendPacked: (entries, isDurable) => writeEntries(pruning, entries, isDurable),
    async list(filter, { after, offset = 0, limit, sort, order = 'desc' }) {
      const conditions = await conditionsOf(filter, options)
      const way = sql.raw(sort === undefined ? order : 'desc')
      const value =
        sort === undefined ? sql`` : sql`${sql.ref(`log_facts.${sort}`)} ${sql.raw(order)} nulls last,`
      if (after !== undefined)
        conditions.push(sql`log_facts.id ${sql.raw(order === 'asc' ? '>' : '<')} ${idValue(engine, after)}`)
      const { rows } = await sql<FactRow>`select * from log_facts where ${all(conditions)}
        order by ${value} ${engine === 'sqlite' ? sql`` : sql`log_facts.created_at ${way},`} log_facts.id ${way}
        limit ${integer(limit)} offset ${integer(offset)}`.execute(read)
      return summaries(rows)
    },
    count: counts.count,
    async read(ids) {
      if (ids.length === 0) return []
      const facts =
        await sql<FactRow>`select * from log_facts where ${idCondition(engine, 'log_facts', ids)}`.execute(
          read,
        )
      const contents = await sql<ContentRow & { id: unknown }>`select * from log_contents
        where ${idCondition(engine, 'log_contents', ids)}`.execute(read)
      const contentOf = new Map(contents.rows.map((row) => [readText(row.id), row]))
      const found = new Map((await summaries(facts.rows)).map((summary) => [summary.id, summary]))
      return ids.flatMap((id) => {
        const summary = found.get(id)
        return summary === undefined ? [] : [toEntry(summary, contentOf.get(id) ?? noContent)]
      })
    },
    aggregate: (filter, aggregation) => aggregate(filter, aggregation, options),
    erase: (filter, limit) => erase(pruning, filter, limit),
    prune: (before, limit, organisationId) => prune(pruning, { before, limit, organisationId }),
    pruneAggregates: (before, limit, organisationId) =>
      pruneAggregates(pruning, { before, limit, organisationId }),
  }
  return { log, feedback: createFeedback(database, names), aggregates: createAggregates({ database, names }) }
}

const noContent: ContentRow = { details: '{}', bodies: null, inner_bodies: null }
