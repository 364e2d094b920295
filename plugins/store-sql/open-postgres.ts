/**
 * Opens the store on Postgres. A server that cannot be reached yet is no reason not to start: every call tries again to
 * bring the schema up to date, until that was done once.
 * Errors: `invalid_config` for a URL that cannot be read or is refused, and for a schema that is newer than this program.
 */
import { GatewayError, isGatewayError, type Store, type StoreOptions } from '@gateway/contract'
import { silenceLimitMs } from '@gateway/core/domain'
import { codeOf, guardPort, toStoreError } from './guard.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { createLogPart, createMainPart } from './parts.ts'
import { createPorts } from './ports.ts'
import { openPostgres } from './postgres-database.ts'
import { startUpkeep } from './upkeep.ts'

/** The server answered, and does not let us in: 28… and 3D000 of SQLSTATE. */
const refusals = /^(28|3D)/

/**
 * Connections of the counters: groups of reservations take one, readings of them the others. Reservations wait as long
 * as the store does not count as failing.
 */
const countingPool = { poolSize: 4, answerTimeoutMs: silenceLimitMs }

/** After a fault, the server is asked again no sooner than this. */
const retryMs = 1000

export async function openPostgresStore(url: string, { report, progress }: StoreOptions): Promise<Store> {
  const database = openPostgres(url, { report })
  const counting = openPostgres(url, { report, ...countingPool })
  const main = createMainPart(database, counting)
  const log = createLogPart(database.slow)
  let isReady = false
  let preparing: Promise<void> | null = null
  let failed: { at: number; error: unknown } | null = null

  /** On a connection of its own: filling a new table from an old one may take its time. */
  async function migrateNow(): Promise<void> {
    const patient = openPostgres(url, { report, poolSize: 1, isPatient: true })
    try {
      await migrate(patient, migrations, { progress })
    } finally {
      await patient.close()
    }
  }

  async function prepare(): Promise<void> {
    try {
      await migrateNow()
      await main.documents.poll()
      isReady = true
    } catch (error) {
      failed = { at: performance.now(), error }
      throw error
    }
  }

  async function ready(): Promise<void> {
    if (isReady) return
    if (preparing === null && failed !== null && performance.now() - failed.at < retryMs) throw failed.error
    preparing ??= prepare().finally(() => {
      preparing = null
    })
    await preparing
  }

  try {
    await ready()
  } catch (error) {
    const refused = refusalOf(error)
    if (refused !== null) {
      await Promise.all([database.close(), counting.close()])
      throw refused
    }
    report('Postgres is not reachable yet', error)
  }

  const guarded = {
    main: guardParts(main, ready),
    log: guardParts(log, ready),
  }
  const ports = createPorts({ ...guarded, watch: main.documents.watch, report })
  const reportUpkeep = (error: unknown) => report('store maintenance failed', error)
  const stops = [guarded.main, guarded.log].map(({ health }) => startUpkeep(health, reportUpkeep))
  return {
    ...ports,
    ping: guarded.main.health.ping,
    async close() {
      ports.shared.stop()
      for (const stop of stops) stop()
      await Promise.all([log.vectors.close(), database.close(), counting.close()])
    },
  }
}

function guardParts<Parts extends object>(parts: Parts, ready: () => Promise<void>): Parts {
  const guarded = Object.entries(parts).map(([name, part]) => [name, guardPort(part as object, ready)])
  return Object.fromEntries(guarded) as Parts
}

/** Why it is of no use to try again; null when it may be. */
function refusalOf(error: unknown): GatewayError | null {
  if (isGatewayError(error)) return error
  if (refusals.test(codeOf(error) ?? '')) {
    return new GatewayError('invalid_config', 'Postgres refuses the user, the password or the database.', {
      cause: error,
    })
  }
  const known = toStoreError(error)
  return known.code === 'internal_error' ? known : null
}
