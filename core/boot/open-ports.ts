/**
 * The stores that a gateway runs on, as one set of ports: documents, log, blobs and vectors of the store
 * (`GATEWAY_STORE_URL`, by default SQLite in the data directory), and, with Redis configured, the state that several
 * processes share. The start fails when no package opens a URL or a store cannot be opened.
 */
import {
  type Counters,
  GatewayError,
  isGatewayError,
  type Ports,
  type SharedState,
  type Store,
  type StoreAdapter,
  type StoreLock,
  type StoreOptions,
} from '@gateway/contract'
import { createEmbeddedCounters, createKeptUsage, createResilientCounters } from '@gateway/counters'
import { announceChanges, createMemoryStore, type MemoryCacheOptions } from '@gateway/store'

export interface OpenPortsOptions {
  /** `memory:`, `sqlite:PATH`, `postgres://…`. */
  storeUrl: string
  redisUrl: string | null
  /** The URL of the log's store; null: the main store. */
  logsUrl: string | null
  /** How long a request waits while Redis is failing, and whether limited requests are then refused. */
  redis: { deadline_ms: number; fail_closed: boolean }
  /** By URL scheme. */
  stores: ReadonlyMap<string, StoreAdapter>
  cache: MemoryCacheOptions
  options: StoreOptions
  /** Shared by the workers of one machine; absent in a single process. */
  cluster: SharedState | undefined
  /** The primary's counters, for the workers of one machine over an embedded store. */
  clusterCounters?: Counters | undefined
}

export interface OpenPorts extends Ports {
  /** Rejects if one of the stores does not answer. */
  ping(): Promise<void>
  /** Whether other processes may use the shared state. */
  isShared: boolean
  /** Whether shared limits are counted in this process only, because their store is failing. */
  areLimitsUnshared(): boolean
  /** Delivers usage that stopped processes could not deliver to the shared counters. Errors: those of the stores. */
  deliverKeptUsage(): Promise<void>
  close(): Promise<void>
}

/** Opens the stores at the URLs. Throws an error whose message is for the operator. */
export async function openPorts(given: OpenPortsOptions): Promise<OpenPorts> {
  const memory = createMemoryStore(given.cache)
  const isMemory = isMemoryUrl(given.storeUrl)
  if (isMemory && given.cluster !== undefined) {
    const message = 'The store is memory:, which workers cannot share. Use a file or a database server.'
    throw new GatewayError('invalid_config', message)
  }
  const logStore = createLogStore(given)
  const [main, redis] = await bothOrNone(
    isMemory ? memory : open(given.storeUrl, withConfirmation(given, logStore)),
    given.redisUrl === null
      ? null
      : open(given.redisUrl, {
          ...given,
          options: { ...given.options, deadlineMs: given.redis.deadline_ms },
        }),
  ).catch(async (error: unknown) => {
    await logStore.discard()
    throw error
  })
  // The gateway starts without its log store: entries are queued until it answers.
  const logs = await logStore.open().catch(async (error: unknown) => {
    for (const store of [main, redis]) await store?.close()
    throw error
  })
  const opened: Store[] = redis === null ? [main] : [main, redis]
  // Small, short-lived state stays in this process unless it is shared; everything else goes to the store.
  const ports: Ports = {
    documents: main.documents ?? memory.documents,
    log: logs?.log ?? main.log ?? memory.log,
    blobs: main.blobs ?? memory.blobs,
    vectors: main.vectors ?? memory.vectors,
    work: main.work ?? memory.work,
    kv: redis?.kv ?? memory.kv,
    shared: redis?.shared ?? given.cluster ?? sharedOf(given, main, memory),
    counters: memory.counters,
  }
  const counters = chooseCounters(given, main, { redis, memory })
  const { report } = given.options
  const isShared = main !== memory && (redis !== null || given.cluster !== undefined)
  return {
    ...ports,
    documents: isShared
      ? await announceChanges({
          ...ports,
          report: (error) => report('failed to announce a change to other processes', error),
        })
      : ports.documents,
    counters: counters.counters,
    isShared: ports.shared !== memory.shared,
    areLimitsUnshared: counters.isUnshared,
    deliverKeptUsage: counters.deliverKept,
    async ping() {
      await Promise.all(opened.map((store) => store.ping()))
    },
    async close() {
      await counters.close()
      const all = [...opened, memory, ...(logs === null ? [] : [logs.store])]
      await Promise.all(all.map((store) => store.close()))
    },
  }
}

type LogsOptions = Pick<OpenPortsOptions, 'storeUrl' | 'logsUrl' | 'stores' | 'options'>

interface LogStore {
  /** The same store in each call, until opening it has failed. Null if the log is in the main store. */
  open(): Promise<{ store: Store; log: Ports['log'] } | null>
  /** Closes the store if it was opened. */
  discard(): Promise<void>
}

/** A store used only for the log. */
function createLogStore({ storeUrl, logsUrl, stores, options }: LogsOptions): LogStore {
  let opened: ReturnType<LogStore['open']> | null = null

  async function openNow(): ReturnType<LogStore['open']> {
    if (logsUrl === null || logsUrl === storeUrl) return null
    const store = await adapterOf(logsUrl, stores).open(logsUrl, options)
    if (store.log !== undefined) return { store, log: store.log }
    await store.close()
    throw new GatewayError(
      'invalid_config',
      'The store in GATEWAY_LOGS_URL or logs.url does not support logs.',
    )
  }

  return {
    open() {
      opened ??= openNow().catch((error: unknown) => {
        opened = null
        throw error
      })
      return opened
    },
    async discard() {
      await (await opened)?.store.close()
    },
  }
}

/**
 * The options for a main store that migrates together with the log's store or not at all: the log is migrated while the
 * main store's migration can still be rolled back. After a failure, the previous version can therefore continue to run.
 */
function withConfirmation<Given extends LogsOptions>(given: Given, logStore: LogStore): Given {
  const confirmMigration = async (): Promise<void> => {
    try {
      const logs = await logStore.open()
      // A store may also open while its server is unavailable; it then migrates later.
      await logs?.store.ping()
    } catch (error) {
      const { code, message, storeFault } = isGatewayError(error)
        ? error
        : new GatewayError('store_unavailable', 'It could not be opened.', { cause: error })
      throw new GatewayError(
        code,
        `The store was not migrated, because that in GATEWAY_LOGS_URL or logs.url could not be: ${message}`,
        { cause: error, storeFault },
      )
    }
  }
  return { ...given, options: { ...given.options, confirmMigration } }
}

/** If one store cannot be opened, the other is closed. */
async function bothOrNone(
  main: Store | Promise<Store>,
  redis: Promise<Store> | null,
): Promise<[main: Store, redis: Store | null]> {
  const [first, second] = await Promise.allSettled([main, redis])
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value]
  for (const outcome of [first, second]) if (outcome.status === 'fulfilled') await outcome.value?.close()
  throw first.status === 'rejected' ? first.reason : (second as PromiseRejectedResult).reason
}

/** Without workers, a SQLite file is used only by this process; a database server may be shared. */
function sharedOf({ storeUrl }: OpenPortsOptions, main: Store, memory: Ports): SharedState {
  return isServer(storeUrl) ? (main.shared ?? memory.shared) : memory.shared
}

const isServer = (url: string) => /^postgres(?:ql)?:/i.test(url)

/** Shared when there are several processes; otherwise in memory, written to the store in the background. */
function chooseCounters(
  given: OpenPortsOptions,
  main: Store,
  { redis, memory }: { redis: Store | null; memory: Ports & Store },
) {
  const { report } = given.options
  const nothing = async () => undefined
  const own = { close: nothing, isUnshared: () => false, deliverKept: nothing }
  const shared = (stored: NonNullable<Store['counters']>) => {
    const kept = main === memory || main.work === undefined ? null : createKeptUsage(main.work, stored)
    const counters = createResilientCounters(stored, {
      report: (error) => report('shared counters are unavailable', error),
      deadlineMs: given.redis.deadline_ms,
      failsClosed: given.redis.fail_closed,
      keep: (owed) =>
        kept === null
          ? nothing()
          : kept.keep(owed).catch((error: unknown) => report('failed to keep undelivered usage', error)),
    })
    const { close, isUnshared } = counters
    const deliverKept = async () => (isUnshared() ? undefined : kept?.deliver())
    return { counters, close, isUnshared, deliverKept }
  }
  if (redis?.counters !== undefined) return shared(redis.counters)
  if (main.counters === undefined || main === memory) return { ...own, counters: memory.counters }
  if (isServer(given.storeUrl)) return shared(main.counters)
  // The primary counts like a single process, and no fallback would count the same.
  if (given.clusterCounters !== undefined) return { ...own, counters: given.clusterCounters }
  if (given.cluster !== undefined) return shared(main.counters)
  const counters = createEmbeddedCounters(main.counters, {
    report: (error) => report('failed to persist counters', error),
  })
  return { ...own, counters, close: () => counters.flush() }
}

export interface PrimaryCounters {
  counters: Counters
  /** Persists the counted usage and closes the store. */
  close(): Promise<void>
}

/** The counters that a primary keeps for its workers; null when these count in a server, which needs no primary. */
export async function openPrimaryCounters(
  given: Pick<OpenPortsOptions, 'storeUrl' | 'redisUrl' | 'logsUrl' | 'stores' | 'options'>,
): Promise<PrimaryCounters | null> {
  const { storeUrl, redisUrl, options } = given
  if (redisUrl !== null || isServer(storeUrl) || isMemoryUrl(storeUrl)) return null
  const logStore = createLogStore(given)
  const store = await open(storeUrl, withConfirmation(given, logStore)).finally(logStore.discard)
  if (store.counters === undefined) {
    await store.close()
    return null
  }
  const counters = createEmbeddedCounters(store.counters, {
    report: (error) => options.report('failed to persist counters', error),
  })
  return {
    counters,
    async close() {
      try {
        await counters.flush()
      } finally {
        await store.close()
      }
    },
  }
}

async function open(
  url: string,
  { stores, options }: Pick<OpenPortsOptions, 'stores' | 'options'>,
): Promise<Store> {
  return adapterOf(url, stores).open(url, options)
}

function adapterOf(url: string, stores: ReadonlyMap<string, StoreAdapter>): StoreAdapter {
  const adapter = stores.get(schemeOf(url))
  if (adapter === undefined) throw new GatewayError('invalid_config', unknownScheme(url, stores))
  return adapter
}

/** Problems with the stores' URLs, for the operator, found before any store is opened. */
export function storeFaults(
  { storeUrl, redisUrl, logsUrl }: Pick<OpenPortsOptions, 'storeUrl' | 'redisUrl' | 'logsUrl'>,
  stores: ReadonlyMap<string, StoreAdapter>,
): { section: 'store' | 'redis' | 'logs'; url: string; message: string }[] {
  const named = [
    { section: 'store', url: storeUrl },
    { section: 'redis', url: redisUrl },
    { section: 'logs', url: logsUrl },
  ] as const
  return named.flatMap(({ section, url }) => {
    const isKnown = url === null || stores.has(schemeOf(url)) || (section === 'store' && isMemoryUrl(url))
    return isKnown ? [] : [{ section, url, message: unknownScheme(url, stores) }]
  })
}

const isMemoryUrl = (url: string) => url.startsWith('memory:')
const schemeOf = (url: string) => url.slice(0, url.indexOf(':') + 1)

/** The message leaves out the rest of the URL, which may contain a password. */
const unknownScheme = (url: string, stores: ReadonlyMap<string, StoreAdapter>) =>
  `No package opens a store at ${schemeOf(url)} (URLs start with one of ${['memory:', ...stores.keys()].sort().join(', ')}).`

/** Starts what takes time in opening the store, before it is known whether the gateway can start. */
export function prepareStore(url: string, stores: ReadonlyMap<string, StoreAdapter>): void {
  stores.get(schemeOf(url))?.prepare?.(url)
}

/** Locks the store against other gateways; null if any number may use it. Errors: `conflict`, naming the holder. */
export async function lockStore(
  url: string,
  stores: ReadonlyMap<string, StoreAdapter>,
  directory: string,
): Promise<StoreLock | null> {
  if (url.startsWith('memory:')) return null
  return (await adapterOf(url, stores).lock?.(url, { directory })) ?? null
}
