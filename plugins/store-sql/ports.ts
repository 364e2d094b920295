/** The ports of a store, on top of the parts with the database, which run in this thread or in others. */
import type { DocumentChange, Documents, Ports } from '@gateway/contract'
import { createBlobs } from './blobs.ts'
import { packEntries } from './log/packed-entries.ts'
import type { LogPart, MainPart } from './parts.ts'
import { createSharedState, type SqlSharedState } from './shared-state.ts'
import { chunk } from './values.ts'

export type SqlPorts = Omit<Ports, 'kv'> & { shared: SqlSharedState }

export interface PortsOptions {
  main: MainPart
  log: LogPart
  watch(listener: (changes: readonly DocumentChange[]) => void): () => void
  report(message: string, error: unknown): void
}

export const createPorts = ({ main, log, watch, report }: PortsOptions): SqlPorts => ({
  documents: documentsOf(main, watch),
  counters: countersOf(main),
  log: logOf(log),
  blobs: createBlobs(log.blobs),
  vectors: log.vectors,
  shared: createSharedState(main.shared, (error) =>
    report('failed to read messages of other processes', error),
  ),
  work: workOf(main),
})

const documentsOf = ({ documents: rows }: MainPart, watch: PortsOptions['watch']): Documents => ({
  get: (kind, id) => rows.get(kind, id),
  findByKey: (kind, key) => rows.findByKey(kind, key),
  list: (kind, filter, page) => rows.list(kind, filter, page),
  scan: (kind, after, limit) => rows.scan(kind, after, limit),
  commit: (writes) => rows.commit(writes),
  refresh: () => rows.poll(),
  watch(listener) {
    // Wrapped, so that one function can watch twice.
    return watch((changes) => listener(changes))
  },
})

const countersOf = ({ counters }: MainPart): Ports['counters'] => ({
  reserve: (id, reservations, lease) => counters.reserve(id, reservations, lease),
  settle: (id, used, nowMs) => counters.settle(id, used, nowMs),
  read: (keys, nowMs) => counters.read(keys, nowMs),
  reset: (keys) => counters.reset(keys),
  seed: (budgets) => counters.seed(budgets),
  list: (prefix, after, limit) => counters.list(prefix, after, limit),
  listWindows: (cursor, limit, nowMs) => counters.listWindows(cursor, limit, nowMs),
  seedWindows: (windows) => counters.seedWindows(windows),
  snapshots: { load: (keys) => counters.load(keys), save: (uses) => counters.save(uses) },
})

const logOf = ({ log, feedback, aggregates }: LogPart): Ports['log'] => ({
  list: (filter, page) => log.list(filter, page),
  count: (filter) => log.count(filter),
  read: (ids) => log.read(ids),
  aggregate: (filter, aggregation) => log.aggregate(filter, aggregation),
  erase: (filter, limit) => log.erase(filter, limit),
  prune: (before, limit, organisationId) => log.prune(before, limit, organisationId),
  pruneAggregates: (before, limit, organisationId) => log.pruneAggregates(before, limit, organisationId),
  async append(entries, { isDurable = false } = {}) {
    for (const some of chunk(entries)) await log.appendPacked(packEntries(some), isDurable)
  },
  feedback: {
    put: (one) => feedback.put(one),
    list: (filter, page) => feedback.list(filter, page),
    count: (filter) => feedback.count(filter),
    aggregate: (filter, aggregation) => feedback.aggregate(filter, aggregation),
  },
  aggregates: {
    next: (after) => aggregates.next(after),
    put: (hour) => aggregates.put(hour),
  },
})

const workOf = ({ work }: MainPart): Ports['work'] => ({
  acquire: (id, ttlMs, nowMs) => work.acquire(id, ttlMs, nowMs),
  renew: (id, fence, lease) => work.renew(id, fence, lease),
  release: (id, fence) => work.release(id, fence),
  commit: (id, fence, results) => work.commit(id, fence, results),
  results: (id, after, limit) => work.results(id, after, limit),
  positions: (id) => work.positions(id),
  clear: (id) => work.clear(id),
  outgoing: (limit) => work.outgoing(limit),
  handedOver: (ids) => work.handedOver(ids),
})
