/**
 * Converts a filter to a condition that the store evaluates. Equality of an indexed attribute becomes a member of the
 * store's own filter, which uses the index. Errors: 400 `invalidFilter` for attributes that are not indexed and
 * operators that do not fit.
 */
import type { DocumentCondition, DocumentFilter, TextTest } from '@gateway/contract'
import { invalid } from '../protocol/errors.ts'
import type { AttributePath, Comparison, Filter, Literal } from './parse-filter.ts'

/** The condition for an attribute in the store, by its name in lower case. */
type Indexed =
  | { kind: 'text'; attribute: string; isCaseExact?: boolean }
  | { kind: 'id' }
  | { kind: 'active' }
  | { kind: 'time'; time: 'created_at' | 'last_updated_at' }
  /** Items in brackets: those with one type, or the primary one, have their own attribute. */
  | { kind: 'items'; attribute: string }
  /** Members are resolved earlier: see `resolve`. */
  | { kind: 'members' }

export interface Index {
  /** The kind of resource, for messages. */
  title: string
  urn: string
  attributes: Readonly<Record<string, Indexed>>
  /** The ids of groups with a matching member. */
  groupsWith?(test: TextTest | null): Promise<readonly string[]>
}

type Part = Pick<DocumentFilter, 'ids' | 'attributes' | 'where'>

export async function toStoreFilter(filter: Filter, index: Index): Promise<Part> {
  const parts = 'and' in filter ? filter.and : [filter]
  const attributes: Record<string, readonly string[]> = {}
  const rest: DocumentCondition[] = []
  for (const part of parts) {
    const condition = await toCondition(part, index)
    const isEquality =
      'attribute' in condition && condition.test?.op === 'equals' && !(condition.attribute in attributes)
    if (isEquality && condition.test !== undefined) attributes[condition.attribute] = [condition.test.value]
    else rest.push(condition)
  }
  const [only] = rest
  if (parts.length === 1 && only !== undefined && 'member' in only && only.member === 'id') {
    if (only.test.op === 'equals') return { ids: [only.test.value] }
  }
  return {
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...(rest.length === 0 ? {} : { where: { all: rest } }),
  }
}

async function toCondition(filter: Filter, index: Index): Promise<DocumentCondition> {
  if ('and' in filter) return { all: await Promise.all(filter.and.map((one) => toCondition(one, index))) }
  if ('or' in filter) return { any: await Promise.all(filter.or.map((one) => toCondition(one, index))) }
  if ('not' in filter) return { not: await toCondition(filter.not, index) }
  const found = indexedAt(filter.path, index)
  if ('item' in filter) {
    if (found.kind === 'members') return membersCondition(itemTest(filter.item), index)
    if (found.kind === 'items') return itemCondition(found.attribute, filter.item)
    throw invalid('invalidFilter', `${filter.path.name} is not a list that can be filtered.`)
  }
  const { op } = filter
  const value = op === 'pr' ? null : filter.value
  switch (found.kind) {
    case 'items':
    case 'text': {
      const { attribute } = found
      if (op === 'pr' || value === null) return presence(op, { attribute })
      const text = textOf(value, filter.path)
      const isExact = found.kind === 'text' && found.isCaseExact === true
      return compared(op, (test) => ({ attribute, test }), isExact ? text : text.toLowerCase())
    }
    case 'id':
      if (op === 'pr' || value === null) return op === 'pr' || op === 'ne' ? { all: [] } : { any: [] }
      return compared(op, (test) => ({ member: 'id', test }), textOf(value, filter.path))
    case 'active':
      return activeCondition(op, value)
    case 'time':
      return timeCondition(found.time, op, value)
    case 'members': {
      if (op === 'pr' || value === null) {
        const some = await membersCondition(null, index)
        return op === 'pr' || op === 'ne' ? some : { not: some }
      }
      const text = textOf(value, filter.path)
      if (op === 'ne') return { not: await membersCondition({ op: 'equals', value: text }, index) }
      return membersCondition({ op: tests[op], value: text }, index)
    }
  }
}

function indexedAt({ urn, name, part }: AttributePath, { attributes, urn: own, title }: Index): Indexed {
  const written = (part === null ? name : `${name}.${part}`).toLowerCase()
  const isOwn = urn === null || urn.toLowerCase() === own.toLowerCase()
  const found = isOwn && Object.hasOwn(attributes, written) ? attributes[written] : undefined
  if (found !== undefined) return found
  const known = Object.keys(attributes).join(', ')
  throw invalid(
    'invalidFilter',
    `${title} cannot be filtered by "${written.slice(0, 200)}" (supported: ${known}).`,
  )
}

const tests = {
  eq: 'equals',
  co: 'contains',
  sw: 'starts',
  ew: 'ends',
  gt: 'above',
  ge: 'from',
  lt: 'below',
  le: 'to',
} as const satisfies Record<Exclude<Comparison, 'ne'>, TextTest['op']>

function compared(
  op: Comparison,
  make: (test: TextTest) => DocumentCondition,
  value: string,
): DocumentCondition {
  return op === 'ne' ? { not: make({ op: 'equals', value }) } : make({ op: tests[op], value })
}

/** `pr`, and comparisons with `null`. */
function presence(op: Comparison | 'pr', present: DocumentCondition): DocumentCondition {
  if (op === 'pr' || op === 'ne') return present
  if (op === 'eq') return { not: present }
  throw invalid('invalidFilter', `${op} cannot compare with null.`)
}

function textOf(value: Exclude<Literal, null>, { name }: AttributePath): string {
  if (typeof value === 'string') return value
  throw invalid('invalidFilter', `${name} must be compared with a string in quotes.`)
}

function activeCondition(op: Comparison | 'pr', value: Literal): DocumentCondition {
  if (op === 'pr') return { all: [] }
  const text = String(value).toLowerCase()
  if ((op !== 'eq' && op !== 'ne') || (text !== 'true' && text !== 'false')) {
    throw invalid('invalidFilter', 'active must be compared with true or false by eq or ne.')
  }
  const isActive: DocumentCondition = { member: 'status', test: { op: 'equals', value: 'active' } }
  return (text === 'true') === (op === 'eq') ? isActive : { not: isActive }
}

function timeCondition(
  time: 'created_at' | 'last_updated_at',
  op: Comparison | 'pr',
  value: Literal,
): DocumentCondition {
  if (op === 'pr') return { all: [] }
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) throw invalid('invalidFilter', `A time must have the form "2026-01-31T12:00:00Z".`)
  if (op === 'ne') return { not: { time, op: 'equals', value: at } }
  const word = tests[op]
  if (word === 'contains' || word === 'starts' || word === 'ends') {
    throw invalid('invalidFilter', `${op} does not compare times.`)
  }
  return { time, op: word, value: at }
}

/** `emails[type eq "work" and value co "x"]`: a selection, then a comparison. */
function itemCondition(attribute: string, item: Filter): DocumentCondition {
  const { choice, rest } = split(item)
  const chosen = choice === null ? attribute : `${attribute}.${choice}`
  const conditions = rest.map((one): DocumentCondition => {
    if (!('op' in one)) throw notIndexed()
    if (one.path.part !== null || one.path.name.toLowerCase() !== 'value') throw notIndexed()
    if (one.op === 'pr') return { attribute: chosen }
    if (one.value === null) return presence(one.op, { attribute: chosen })
    return compared(
      one.op,
      (test) => ({ attribute: chosen, test }),
      textOf(one.value, one.path).toLowerCase(),
    )
  })
  const [only] = conditions
  if (only === undefined) return { attribute: chosen }
  return conditions.length === 1 ? only : { all: conditions }
}

const notIndexed = () =>
  invalid('invalidFilter', 'A filter in brackets supports type or primary with eq, and value, joined by and.')

function split(item: Filter): { choice: string | null; rest: Filter[] } {
  let choice: string | null = null
  const rest: Filter[] = []
  const flat = (one: Filter): readonly Filter[] => ('and' in one ? one.and.flatMap(flat) : [one])
  for (const one of flat(item)) {
    const name = 'path' in one && one.path.part === null ? one.path.name.toLowerCase() : ''
    if (name !== 'type' && name !== 'primary') {
      rest.push(one)
      continue
    }
    if (choice !== null || !('op' in one) || one.op !== 'eq' || one.value === null) throw notIndexed()
    choice = `${name}=${String(one.value).toLowerCase()}`
  }
  return { choice, rest }
}

function itemTest(item: Filter): TextTest | null {
  if (!('op' in item) || item.path.name.toLowerCase() !== 'value' || item.path.part !== null) {
    throw notIndexed()
  }
  if (item.op === 'pr') return null
  if (item.op === 'ne' || item.value === null) throw notIndexed()
  return { op: tests[item.op], value: textOf(item.value, item.path) }
}

async function membersCondition(test: TextTest | null, index: Index): Promise<DocumentCondition> {
  const ids = (await index.groupsWith?.(test)) ?? []
  return { any: ids.map((value) => ({ member: 'id', test: { op: 'equals', value } })) }
}
