/**
 * The batch engine: runs long work of many requests through the pipeline. One process at a time works on each, under a
 * lease; each result is committed once, with its log entries and charges; clients' requests have priority. Other packages
 * import only this file.
 */
export { retryAfterOf } from './back-off.ts'
export { type Commits, type Committed, createCommits, LostLease } from './commit-results.ts'
export { type Engine, engineOf, type WorkContext, workNeeds } from './engine.ts'
export { outgoingOf, ownEntry, type RecordedAnswer, runRecorded } from './run-recorded.ts'
export { type Around, createScheduler, type Scheduler } from './scheduler.ts'
