/**
 * Whether an item of a list matches a filter, such as that of `emails[type eq "work"]`. Strings are compared
 * case-insensitively.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { invalid } from '../protocol/errors.ts'
import type { AttributePath, Comparison, Filter, Literal } from './parse-filter.ts'

export function matches(item: JsonObject, filter: Filter): boolean {
  if ('and' in filter) return filter.and.every((one) => matches(item, one))
  if ('or' in filter) return filter.or.some((one) => matches(item, one))
  if ('not' in filter) return !matches(item, filter.not)
  if ('item' in filter) throw invalid('invalidFilter', 'A filter in brackets must not contain another one.')
  const value = memberOf(item, filter.path)
  if (filter.op === 'pr') return value !== null && value !== ''
  return compare(value, filter.op, filter.value)
}

function memberOf(item: JsonObject, { name, part }: AttributePath): Json {
  const found = named(item, name)
  return part === null ? found : isObject(found) ? named(found, part) : null
}

function named(item: JsonObject, name: string): Json {
  const member = Object.keys(item).find((one) => one.toLowerCase() === name.toLowerCase())
  return member === undefined ? null : (item[member] ?? null)
}

function compare(value: Json, op: Comparison, literal: Literal): boolean {
  // A flag that is not set is false.
  const left = textOf(value ?? (typeof literal === 'boolean' ? false : null))
  const right = textOf(literal)
  if (op === 'ne') return left !== right
  if (left === null || right === null) return op === 'eq' && left === right
  switch (op) {
    case 'eq':
      return left === right
    case 'co':
      return left.includes(right)
    case 'sw':
      return left.startsWith(right)
    case 'ew':
      return left.endsWith(right)
    case 'gt':
      return left > right
    case 'ge':
      return left >= right
    case 'lt':
      return left < right
    case 'le':
      return left <= right
  }
}

const textOf = (value: Json): string | null =>
  value === null || typeof value === 'object' ? null : String(value).toLowerCase()
