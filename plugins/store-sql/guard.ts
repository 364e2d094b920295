/**
 * Maps engine errors to gateway errors at the ports' boundary: problems of the database or connection become
 * `store_unavailable`, problems of a query `internal_error`. Engine messages are not shown to callers; what they say
 * without values is the reason, for the log.
 * https://www.sqlite.org/rescode.html, https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import { GatewayError, isGatewayError, systemReason } from '@gateway/contract'

/** SQLSTATE classes of Postgres and codes of SQLite that concern a query or its values, not the database. */
const ofQuery = /^(0A|21|22|23|42|SQLITE_(CONSTRAINT|RANGE|MISMATCH|TOOBIG|MISUSE|ERROR))/

/** Converts an error for the ports. */
export function toStoreError(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  const isOurs =
    error instanceof TypeError || error instanceof RangeError || ofQuery.test(codeOf(error) ?? '')
  const options = { cause: error, storeFault: describeFault(error) }
  return isOurs
    ? new GatewayError('internal_error', 'The store rejected a query.', options)
    : new GatewayError('store_unavailable', 'The store is not available.', options)
}

/** Messages of SQLITE_ERROR that contain names only; others may quote a value, such as a JSON path. */
const namesOnly =
  /^(no such (table|column|index|function): |(table|index) \S+ already exists$|duplicate column name: )/
const sqlState = /^[0-9A-Z]{5}$/
/** The messages of data exceptions quote values. */
const dataException = /^(21|22)/

/** The code of an engine's error, with its message unless that may contain values. */
function describeFault(error: unknown): string | null {
  const system = systemReason(error)
  if (system !== null || !(error instanceof Error)) return system
  const code = codeOf(error)
  // Drivers' own errors have no code: a lost connection, a timeout.
  if (code === undefined) return error.name === 'Error' ? error.message : error.name
  if (code.startsWith('SQLITE_'))
    return code === 'SQLITE_ERROR' && !namesOnly.test(error.message) ? code : `${code}: ${error.message}`
  if (!sqlState.test(code) || dataException.test(code)) return code
  return `${code}: ${error.message}`
}

/** SQLSTATE, SQLite's code, or Node's (`ECONNREFUSED`). */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

type Method = (...given: never[]) => unknown

/** Members that do not return a promise. */
const direct = new Set(['watch', 'on', 'opts', 'namespace', 'iterator'])

/** Wraps a port so that its errors are those of the gateway. `before` runs first in each call. */
export function guardPort<Port extends object>(port: Port, before: () => Promise<void>): Port {
  const guarded = Object.entries(port).map(([name, member]: [string, unknown]) =>
    typeof member === 'function' && !direct.has(name)
      ? [name, guard(member as Method, before)]
      : [name, member],
  )
  return Object.fromEntries(guarded) as Port
}

function guard(method: Method, before: () => Promise<void>) {
  return async (...given: never[]): Promise<unknown> => {
    try {
      await before()
      return await method(...given)
    } catch (error) {
      throw toStoreError(error)
    }
  }
}
