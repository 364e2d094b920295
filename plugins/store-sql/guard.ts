/**
 * Maps engine errors to gateway errors at the ports' boundary: problems of the database or connection become
 * `store_unavailable`, problems of a query `internal_error`. Engine messages are not shown; they are the cause, for the
 * log.
 */
import { GatewayError, isGatewayError } from '@gateway/contract'

/** SQLSTATE classes of Postgres and codes of SQLite that concern a query or its values, not the database. */
const ofQuery = /^(0A|21|22|23|42|SQLITE_(CONSTRAINT|RANGE|MISMATCH|TOOBIG|MISUSE|ERROR))/

/** Converts an error for the ports. */
export function toStoreError(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  const isOurs =
    error instanceof TypeError || error instanceof RangeError || ofQuery.test(codeOf(error) ?? '')
  return isOurs
    ? new GatewayError('internal_error', 'The store rejected a query.', { cause: error })
    : new GatewayError('store_unavailable', 'The store is not available.', { cause: error })
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
