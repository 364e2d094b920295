/** Filters of the log as ClickHouse conditions. Every value is bound. */
import { type LogFilter, type LogMatch, type LogValue, wellFormed } from '@gateway/contract'
import { columnKind, isLogField, metadataGroup, searchNeedle, timeOfId } from '@gateway/domain'
import type { Bound } from './bound.ts'
import { parameterTypes } from './tables.ts'

export const all = (conditions: readonly string[]) =>
  conditions.length === 0 ? '1' : conditions.map((each) => `(${each})`).join(' and ')

const any = (conditions: readonly string[]) =>
  conditions.length === 0 ? '0' : conditions.map((each) => `(${each})`).join(' or ')

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Entries with these ids. If each id contains its time, only the days of those times are searched. */
export function idCondition(bound: Bound, ids: readonly string[]): string {
  const known = ids.filter((id) => uuid.test(id))
  if (known.length === 0) return '0'
  const among = `id in ${bound.value('Array(UUID)', known)}`
  const times = known.map(timeOfId).filter((time) => time !== null)
  if (times.length < known.length) return among
  const [first, last] = [Math.min(...times), Math.max(...times)]
  return `created_at between ${bound.value('Int64', first)} and ${bound.value('Int64', last)} and ${among}`
}

const hourMs = 3_600_000

export interface ConditionOptions {
  bound: Bound
  table?: 'log_facts' | 'log_aggregates'
}

/** The conditions of a filter, all of which must be true. */
export function conditionsOf(filter: LogFilter, { bound, table = 'log_facts' }: ConditionOptions): string[] {
  const { from, to, own } = filter
  const found = keyConditions(filter, bound)
  const isHourly = table === 'log_aggregates'
  // An hour that began before the time is counted completely.
  if (from !== undefined)
    found.push(
      `created_at >= ${bound.value('Int64', isHourly ? Math.floor(from / hourMs) * hourMs : Math.ceil(from))}`,
    )
  if (to !== undefined) found.push(`created_at < ${bound.value('Int64', Math.ceil(to))}`)
  const matches = (match: LogMatch) =>
    Object.entries(match).map(([name, values]) => fieldCondition(bound, name, values))
  found.push(...matches(filter.fields ?? {}))
  for (const match of filter.either ?? []) found.push(any(matches(match)))
  if (filter.anyOf !== undefined) found.push(any(filter.anyOf.map((match) => all(matches(match)))))
  for (const condition of matches(filter.except ?? {})) found.push(`not (${condition})`)
  for (const [name, { min, max }] of Object.entries(filter.ranges ?? {})) {
    const column = columnOf(name)
    found.push(`${column} is not null`)
    if (min !== undefined) found.push(`${column} >= ${bound.value('Float64', min)}`)
    if (max !== undefined) found.push(`${column} <= ${bound.value('Float64', max)}`)
  }
  for (const [key, value] of Object.entries(filter.metadata ?? {}))
    found.push(`ifNull(${metadataValue(bound, key)} = ${bound.value('String', wellFormed(value))}, 0)`)
  if (own !== undefined) {
    const limited = isAmong(bound, 'workspace_id', { type: 'String', values: own.workspace_ids })
    found.push(
      `not (${limited}) or ${isAmong(bound, 'api_key_id', { type: 'String', values: own.api_key_ids })}`,
    )
  }
  if (filter.search !== undefined) found.push(searchCondition(filter, filter.search, bound))
  if (filter.weighted_feedback !== undefined) found.push(feedbackCondition(filter, bound))
  return found
}

/** Conditions on the columns that every table has. */
function keyConditions(filter: LogFilter, bound: Bound): string[] {
  const { organisation_id: organisation, workspace_ids: workspaces, ids } = filter
  return [
    ...(organisation === undefined ? [] : [`organisation_id = ${bound.value('String', organisation)}`]),
    ...(workspaces === undefined
      ? []
      : [isAmong(bound, 'workspace_id', { type: 'String', values: workspaces })]),
    ...(ids === undefined ? [] : [idCondition(bound, ids)]),
  ]
}

/** The column of a field. Only names of the domain are inserted into a query. */
function columnOf(name: string): string {
  if (isLogField(name) || name === 'workspace_id' || name === 'organisation_id') return name
  throw new RangeError(`The log has no column ${name}.`)
}

function fieldCondition(bound: Bound, name: string, values: readonly LogValue[]): string {
  const column = columnOf(name)
  const kind = isLogField(name) ? columnKind(name) : 'name'
  const fits = (value: LogValue) => {
    if (kind === 'boolean') return typeof value === 'boolean'
    if (kind === 'name' || kind === 'text') return typeof value === 'string'
    return (
      typeof value === 'number' && (kind === 'real' || (Number.isInteger(value) && Math.abs(value) < 2 ** 31))
    )
  }
  const known = values.filter((value) => value === null || fits(value))
  return isAmong(bound, column, { type: parameterTypes[kind], values: known })
}

/** False rather than null if the column is null and null is not among the values. */
function isAmong(
  bound: Bound,
  column: string,
  { type, values }: { type: string; values: readonly LogValue[] },
): string {
  const wanted = values
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'string' ? wellFormed(value) : value))
  const either = [
    ...(wanted.length > 0 ? [`ifNull(${column} in ${bound.value(`Array(${type})`, wanted)}, 0)`] : []),
    ...(wanted.length < values.length ? [`${column} is null`] : []),
  ]
  return any(either)
}

/** A member of the metadata, or null. */
function metadataValue(bound: Bound, key: string): string {
  const name = bound.value('String', wellFormed(key))
  return `if(mapContains(metadata, ${name}), metadata[${name}], null)`
}

/** The expression by which rows are grouped. */
export const groupExpression = (bound: Bound, name: string): string =>
  name.startsWith(metadataGroup) ? metadataValue(bound, name.slice(metadataGroup.length)) : columnOf(name)

/** Texts are compared literally: no character is a wildcard. */
function searchCondition(filter: LogFilter, search: string, bound: Bound): string {
  const { from, to } = filter
  const within = [
    ...keyConditions(filter, bound),
    ...(from === undefined ? [] : [`created_at >= ${bound.value('Int64', Math.ceil(from))}`]),
    ...(to === undefined ? [] : [`created_at < ${bound.value('Int64', Math.ceil(to))}`]),
    `position(lowerUTF8(ifNull(bodies, '')), ${bound.value('String', wellFormed(searchNeedle(search)))}) > 0`,
  ]
  return `id in (select id from log_contents where ${all(within)})`
}

/** A trace without feedback has no mean and is in no range. */
function feedbackCondition(filter: LogFilter, bound: Bound): string {
  const { organisation_id: organisation, weighted_feedback: { min, max } = {} } = filter
  const where = organisation === undefined ? '1' : `organisation_id = ${bound.value('String', organisation)}`
  const having = [
    ...(min === undefined ? [] : [`avg(value * weight) >= ${bound.value('Float64', min)}`]),
    ...(max === undefined ? [] : [`avg(value * weight) <= ${bound.value('Float64', max)}`]),
  ]
  return `ifNull((workspace_id, trace_id) in (select workspace_id, trace_id from log_feedback final
    where ${where} group by workspace_id, trace_id having ${all(having)}), 0)`
}
