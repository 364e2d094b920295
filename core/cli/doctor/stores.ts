/**
 * Checks whether the stores can be opened. A store of an earlier version is not migrated; an empty database gets its
 * tables.
 */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { faultReason, GatewayError, type Store, type StoreAdapter } from '@gateway/contract'
import { type Finding, failed, ok, warning } from './finding.ts'

export interface StorePlace {
  /** `store`, `logs` or `redis`. */
  check: string
  url: string
  /** The variable and the setting that name it. */
  settings: string
}

export interface StoreContext {
  stores: ReadonlyMap<string, StoreAdapter>
  /** The base of relative paths. */
  directory: string
  /** Absolute. */
  dataDirectory: string
  /** Milliseconds. */
  now(): number
}

/** The finding, and the store if it is open; the caller closes it. */
export interface StoreCheck {
  finding: Finding
  store: Store | null
}

/** Long enough for a busy machine; a start waits longer before it gives up. */
const timeoutMs = 30_000
/** Opening a store takes well under a second. */
const slowMs = 5000

export async function checkStore(place: StorePlace, context: StoreContext): Promise<StoreCheck> {
  const { check, url, settings } = place
  const scheme = url.slice(0, url.indexOf(':') + 1)
  const closed = (finding: Finding): StoreCheck => ({ finding, store: null })
  if (scheme === 'memory:')
    return closed(
      warning(
        check,
        'memory: keys, logs and budgets are lost when the gateway stops',
        `Set ${settings} to a database.`,
      ),
    )
  const adapter = context.stores.get(scheme)
  if (adapter === undefined) {
    const known = [...context.stores.keys()].sort().join(', ')
    return closed(failed(check, `no package opens ${scheme}`, `Set ${settings} to one of memory:, ${known}.`))
  }
  const name = placeName(url)
  const file = scheme === 'sqlite:' ? resolve(context.directory, url.slice(scheme.length)) : null
  if (file !== null) {
    const found = await checkFolder(check, dirname(file))
    if (found !== null) return closed(found)
    if (!(await canAccess(file, constants.F_OK)))
      return closed(ok(check, `${name} is created at the first start`))
  }
  return open(adapter, { place, name, context })
}

async function open(
  adapter: StoreAdapter,
  {
    place: { check, url, settings },
    name,
    context,
  }: { place: StorePlace; name: string; context: StoreContext },
): Promise<StoreCheck> {
  let isOutdated = false
  const begunAt = context.now()
  try {
    const store = await withDeadline(
      adapter.open(url, {
        directory: context.directory,
        dataDirectory: context.dataDirectory,
        report: () => undefined,
        confirmMigration() {
          isOutdated = true
          return Promise.reject(new GatewayError('conflict', 'The store is not migrated by this command.'))
        },
      }),
    )
    try {
      await withDeadline(store.ping())
    } catch (error) {
      await store.close()
      throw error
    }
    return { finding: answered(check, name, context.now() - begunAt), store }
  } catch (error) {
    if (isOutdated) {
      const message = `${name} answers; it is of an earlier version`
      return { finding: warning(check, message, 'Back it up: the next start migrates it.'), store: null }
    }
    const remedy = `Check that it runs and that this machine may connect to it, and the URL in ${settings}.`
    return { finding: failed(check, `${name} cannot be used: ${faultReason(error)}`, remedy), store: null }
  }
}

function answered(check: string, name: string, tookMs: number): Finding {
  if (tookMs < slowMs) return ok(check, `${name} answers`)
  const message = `${name} answers, but only after ${Math.round(tookMs / 1000)} s`
  return warning(
    check,
    message,
    'Look at the load of its machine and of this one, and at the network between them.',
  )
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The URL without user, password and parameters. */
function placeName(url: string): string {
  if (!URL.canParse(url) || !url.includes('://')) return url.replace(/\?.*$/, '')
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}

const leastFreeBytes = 200_000_000

/** The problem; null if files can be written there. */
async function checkFolder(check: string, folder: string): Promise<Finding | null> {
  let place = folder
  while (!(await canAccess(place, constants.F_OK)) && place !== dirname(place)) place = dirname(place)
  if (!(await canAccess(place, constants.W_OK | constants.X_OK)))
    return failed(
      check,
      `${place} cannot be written`,
      "Give the gateway's user write access to it, or set GATEWAY_DATA_DIR to another folder.",
    )
  const { bavail, bsize } = await statfs(place)
  if (bavail * bsize >= leastFreeBytes) return null
  const free = Math.round((bavail * bsize) / 1e6)
  return failed(
    check,
    `${place} has ${free} MB left`,
    'Free space on this disk, or shorten the retention of the logs.',
  )
}

const canAccess = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  )
