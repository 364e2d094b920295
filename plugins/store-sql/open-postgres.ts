/**
 * Opens the store on Postgres. An unreachable server does not prevent the start: every call tries to migrate the schema
 * until that has succeeded once. Errors: `invalid_config` for an invalid or refused URL, and for a schema that is newer
 * than this program.
 */
import { GatewayError, isGatewayError, type Store, type StoreOptions } from '@gateway/contract'
import { silenceLimitMs } from '@gateway/domain'
import { codeOf, guardPort, toStoreError } from './guard.ts'
import { createLogPart, createMainPart } from './parts.ts'
import { createPorts } from './ports.ts'
import { openPostgres } from './postgres-database.ts'
import { upgrade } from './upgrade.ts'
import { startUpkeep } from './upkeep.ts'

/** SQLSTATE 28… and 3D000: the server answered but refuses the login. */
const refusals = /^(28|3D)/

/**
 * The pool for counters: groups of reservations use one connection, readings the others. Reservations wait as long as
 * the store does not count as failing.
 */
const countingPool = { poolSize: 4, answerTimeoutMs: silenceLimitMs }

/** After an error, the server is tried again no sooner than this. */
const retryMs = 1000

export async function openPostgresStore(
  url: string,
  { report, progress, confirmMigration }: StoreOptions,
): Promise<Store> {
  const database = openPostgres(url, { report })
  const counting = openPostgres(url, { report, ...countingPool })
  const main = createMainPart(database, counting)
  const log = createLogPart(database.slow)
  let isReady = false
  let preparing: Promise<void> | null = null
  let failed: { at: number; error: unknown } | null = null

  /** On a separate connection, because filling a new table from an old one may take long. */
  async function migrateNow(): Promise<void> {
    const patient = openPostgres(url, { report, poolSize: 1, isPatient: true })
    try {
      await upgrade(patient, { progress, confirmMigration })
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
    report('Postgres is not available yet', toStoreError(error))
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

/** The reason why trying again is useless, or null. */
function refusalOf(error: unknown): GatewayError | null {
  if (isGatewayError(error)) return error
  if (refusals.test(codeOf(error) ?? '')) {
    return new GatewayError(
      'invalid_config',
      'Postgres refused the user, the password or the database of the URL. Check GATEWAY_STORE_URL.',
      {
        cause: error,
      },
    )
  }
  const known = toStoreError(error)
  return known.code === 'internal_error' ? known : null
}
