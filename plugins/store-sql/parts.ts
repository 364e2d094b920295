/**
 * The parts that work on a database directly. The main part must survive a power failure. On SQLite the log, blobs and
 * vectors have a separate file, so that no limit waits for a batch of the log. Every member is a call with plain
 * values, so that it can be made from another thread.
 */
import type { FeedbackLog, LogAggregates, Work } from '@gateway/contract'
import { sql } from 'kysely'
import { type BlobRows, createBlobRows } from './blob-rows.ts'
import { createCounters, type SqlCounters } from './counters.ts'
import type { Database } from './database.ts'
import { createDocuments, type SqlDocuments } from './documents.ts'
import { forgetErasures } from './log/erasures.ts'
import { createLog, type SqlLog } from './log/log.ts'
import { createSharedRows, type SharedRows } from './shared-rows.ts'
import { createVectors, type SqlVectors } from './vectors.ts'
import { createWork } from './work.ts'

export interface Health {
  ping(): Promise<void>
  /** Polls for other processes' writes. */
  look(): Promise<void>
  /** Removes expired rows. */
  sweep(): Promise<void>
}

export interface MainPart {
  documents: SqlDocuments
  counters: SqlCounters
  shared: SharedRows
  work: Work
  health: Health
}

export interface LogPart {
  log: SqlLog
  feedback: FeedbackLog
  aggregates: LogAggregates
  blobs: BlobRows
  vectors: SqlVectors
  health: Health
}

/** @param counting separate connections for counters, so that no other work delays limits */
export function createMainPart(database: Database, counting: Database = database): MainPart {
  const documents = createDocuments(database)
  const counters = createCounters(counting)
  const shared = createSharedRows(database)
  const work = createWork(database)
  const health: Health = {
    ping: () => ping(database),
    look: documents.poll,
    async sweep() {
      await documents.prune()
      await shared.sweep()
      await counters.sweep()
    },
  }
  return { documents, counters, shared, work, health }
}

export function createLogPart(database: Database): LogPart {
  const blobs = createBlobRows(database)
  const vectors = createVectors(database)
  const health: Health = {
    ping: () => ping(database),
    look: async () => undefined,
    async sweep() {
      await blobs.sweep()
      await vectors.prune(Date.now())
      await forgetErasures(database, Date.now())
    },
  }
  return { ...createLog(database), blobs, vectors, health }
}

async function ping({ read }: Database): Promise<void> {
  await sql`select 1`.execute(read)
}
