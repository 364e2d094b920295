/** Reads query parameters in the types of their schemas. Errors: `invalid_query` at `query/NAME`. */

import { type Fault, faultsError, isObject, ownMember, type ServiceContext } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

/** Reads the known parameters; unknown ones are ignored. */
export type QueryReader = (query: Readonly<Record<string, string>>) => QueryValues

const spellings: Readonly<Record<string, string>> = { currentPage: 'current_page', pageSize: 'page_size' }

export function createQueryReader(schema: TSchema, context: ServiceContext<'validator'>): QueryReader {
  const properties: unknown = schema.properties
  const known = isObject(properties) ? properties : {}
  const check = context.validator(schema, 'invalid_query', 'query')
  return (query) => {
    const values: Record<string, string | number | boolean> = {}
    for (const [written, text] of Object.entries(query)) {
      const name = ownMember(spellings, written) ?? written
      const member = ownMember(known, name)
      if (!isObject(member) || (name !== written && Object.hasOwn(query, name))) continue
      values[name] = toTyped(text.trim(), member)
    }
    const faults: readonly Fault[] = check(values)
    if (faults.length > 0) throw faultsError(faults)
    return values
  }
}

/** Text that cannot be converted stays text, so that the schema refuses it. */
function toTyped(text: string, { type }: { type?: unknown }): string | number | boolean {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return text
}

/** The members of a comma-separated list, without empty ones. */
export const commaList = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
