/** Errors that many routes share. */
import { type ErrorCode, GatewayError } from '@gateway/contract'

/** The object does not exist, or the caller cannot see it. `param` is, for example, `path/id` or `/integration_id`. */
export const notFound = (param: string, title: string, code: ErrorCode = 'not_found') =>
  new GatewayError(code, `There is no such ${title}.`, { param })

export const conflict = (message: string, param?: string) => new GatewayError('conflict', message, { param })

export const forbidden = (message: string, param?: string) =>
  new GatewayError('forbidden', message, { param })

export const invalidQuery = (name: string, message: string) =>
  new GatewayError('invalid_query', `query/${name}: ${message}`, { param: `query/${name}` })

export const missingScope = (scopes: readonly string[]) =>
  new GatewayError('missing_scope', `This credential lacks the scope ${scopes.join(' or ')}.`, {
    param: scopes[0] ?? '',
  })

/** The error for objects declared in the config file. */
export const isOfFile = (title: string, filePath: string) =>
  conflict(`This ${title} is declared in the config file ${filePath}; change it there.`)

/** The error for built-in objects. */
export const isBuiltIn = (title: string) => conflict(`This ${title} is built in and cannot be changed.`)

const maxNamed = 10

/** The error for objects that are still used; names the first users. */
export function inUse(title: string, users: readonly string[]): GatewayError {
  const more = users.length > maxNamed ? ` and ${users.length - maxNamed} more` : ''
  return conflict(`This ${title} is in use by ${users.slice(0, maxNamed).join(', ')}${more}.`)
}
