/** The queries of `/v1/responses/{id}` and of its input items. Errors: `invalid_query` with all invalid parameters. */
import { type Fault, faultsError } from '@gateway/contract'

export type ResponseQuery = {
  stream?: boolean
  /** The sequence number of the last event that the caller has received. */
  starting_after?: number
  include_obfuscation?: boolean
  include?: string[]
}

export type ItemsQuery = {
  limit?: number
  order?: 'asc' | 'desc'
  /** The id of the previous page's last item. */
  after?: string
  before?: string
  include?: string[]
}

/** Adds errors to `faults`. */
type Read<Value> = (written: string, fault: (message: string) => void) => Value | undefined

const text: Read<string> = (written) => written

const truth: Read<boolean> = (written, fault) => {
  if (written === 'true' || written === 'false') return written === 'true'
  fault('must be true or false')
  return undefined
}

const integer =
  (minimum: number, maximum: number): Read<number> =>
  (written, fault) => {
    const value = /^\d{1,9}$/.test(written) ? Number(written) : -1
    if (value >= minimum && value <= maximum) return value
    fault(`must be an integer from ${minimum} to ${maximum}`)
    return undefined
  }

const order: Read<'asc' | 'desc'> = (written, fault) => {
  if (written === 'asc' || written === 'desc') return written
  fault('must be asc or desc')
  return undefined
}

type Readers<Query> = { [Name in keyof Query]-?: Read<Exclude<Query[Name], string[] | undefined>> }

function readQuery<Query>(query: URLSearchParams, readers: Partial<Readers<Query>>): Query {
  const faults: Fault[] = []
  const found: Record<string, unknown> = {}
  for (const [name, read] of Object.entries(readers) as [string, Read<unknown>][]) {
    const written = query.get(name)
    if (written === null) continue
    const value = read(written, (message) =>
      faults.push({ param: `query/${name}`, code: 'invalid_query', message }),
    )
    if (value !== undefined) found[name] = value
  }
  const include = [...query.getAll('include'), ...query.getAll('include[]')]
  if (include.length > 0) found.include = include
  if (faults.length > 0) throw faultsError(faults)
  // Each reader returns its member's type.
  return found as Query
}

export const readResponseQuery = (query: URLSearchParams): ResponseQuery =>
  readQuery<ResponseQuery>(query, {
    stream: truth,
    starting_after: integer(0, 999_999_999),
    include_obfuscation: truth,
  })

export const readItemsQuery = (query: URLSearchParams): ItemsQuery =>
  readQuery<ItemsQuery>(query, { limit: integer(1, 100), order, after: text, before: text })
