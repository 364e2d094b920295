/**
 * Filters as trees: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.2
 * Errors: 400 `invalidFilter`; `tooMany` for a filter that is too long.
 */
import { invalid } from '../protocol/errors.ts'
import { type Token, tokensOf } from './tokens.ts'

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
export type Literal = string | number | boolean | null

/** `urn:…:User:name.givenName`: names as written. */
export interface AttributePath {
  urn: string | null
  name: string
  part: string | null
}

export type Filter =
  | { and: readonly Filter[] }
  | { or: readonly Filter[] }
  | { not: Filter }
  | { path: AttributePath; op: Comparison; value: Literal }
  | { path: AttributePath; op: 'pr' }
  /** Conditions on the same item of a list. */
  | { path: AttributePath; item: Filter }

const maxBytes = 4096
const maxDepth = 20
const comparisons: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])

export function parseFilter(text: string): Filter {
  if (Buffer.byteLength(text) > maxBytes) {
    throw invalid('tooMany', `The filter is longer than ${maxBytes} bytes.`)
  }
  const reader = createReader(tokensOf(text))
  const filter = reader.either(0)
  reader.end()
  return filter
}

/** A path with an optional filter in brackets: `members[value eq "…"]`, `emails[type eq "work"].value`. */
export interface ValuePath {
  path: AttributePath
  item: Filter | null
}

/** The path of a PATCH operation. Errors: 400 `invalidPath`. */
export function parsePath(text: string): ValuePath {
  if (Buffer.byteLength(text) > maxBytes) throw invalid('invalidPath', 'The path is too long.')
  try {
    const reader = createReader(tokensOf(text))
    const path = reader.valuePath(0)
    reader.end()
    return path
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw invalid('invalidPath', `The path "${text.slice(0, 200)}" is invalid: ${reason}`)
  }
}

function createReader(tokens: readonly Token[]) {
  let at = 0
  const fail = (message: string): never => {
    throw invalid('invalidFilter', message)
  }
  const isSign = (text: string) => tokens[at]?.kind === 'sign' && tokens[at]?.text === text
  const isWord = (text: string) => tokens[at]?.kind === 'word' && tokens[at]?.text.toLowerCase() === text
  const takeSign = (text: string) => {
    if (!isSign(text)) fail(`"${text}" is expected ${place()}.`)
    at += 1
  }
  const place = () => {
    const token = tokens[at]
    return token === undefined ? 'at the end of the filter' : `before "${token.text}"`
  }
  const deeper = (depth: number) => {
    if (depth >= maxDepth) fail(`The filter is nested deeper than ${maxDepth} levels.`)
    return depth + 1
  }

  function either(depth: number): Filter {
    const list = [both(depth)]
    while (isWord('or')) {
      at += 1
      list.push(both(depth))
    }
    return list.length === 1 ? (list[0] as Filter) : { or: list }
  }

  function both(depth: number): Filter {
    const list = [one(depth)]
    while (isWord('and')) {
      at += 1
      list.push(one(depth))
    }
    return list.length === 1 ? (list[0] as Filter) : { and: list }
  }

  function one(depth: number): Filter {
    if (isWord('not') && tokens[at + 1]?.text === '(' && tokens[at + 1]?.kind === 'sign') {
      at += 1
      return { not: grouped(deeper(depth)) }
    }
    return isSign('(') ? grouped(deeper(depth)) : comparison(depth)
  }

  function grouped(depth: number): Filter {
    takeSign('(')
    const filter = either(depth)
    takeSign(')')
    return filter
  }

  function comparison(depth: number): Filter {
    const { path, item } = valuePath(depth)
    const operator = tokens[at]?.kind === 'word' ? (tokens[at]?.text.toLowerCase() ?? '') : ''
    const isCompared = operator === 'pr' || comparisons.has(operator)
    if (!isCompared) return item === null ? fail(`An operator is expected ${place()}.`) : { path, item }
    at += 1
    // After brackets, the compared attribute is a part of the selected item.
    const inner = item === null ? path : { urn: null, name: path.part ?? 'value', part: null }
    const compared: Filter =
      operator === 'pr'
        ? { path: inner, op: 'pr' }
        : { path: inner, op: operator as Comparison, value: literal() }
    return item === null ? compared : { path: { ...path, part: null }, item: { and: [item, compared] } }
  }

  function valuePath(depth: number): ValuePath {
    const token = tokens[at]
    if (token?.kind !== 'word' || token.text.startsWith('.')) {
      return fail(`The name of an attribute is expected ${place()}.`)
    }
    at += 1
    const path = pathOf(token.text, fail)
    if (!isSign('[')) return { path, item: null }
    at += 1
    const item = either(deeper(depth))
    takeSign(']')
    const behind = tokens[at]
    if (behind?.kind !== 'word' || !behind.isClose || !behind.text.startsWith('.')) return { path, item }
    at += 1
    return { path: { ...path, part: behind.text.slice(1) }, item }
  }

  function literal(): Literal {
    const token = tokens[at]
    if (token === undefined || token.kind === 'sign') return fail(`A value is expected ${place()}.`)
    at += 1
    if (token.kind === 'text') return token.text
    if (token.kind === 'number') return Number(token.text)
    const word = token.text.toLowerCase()
    if (word === 'true' || word === 'false') return word === 'true'
    return word === 'null' ? null : fail(`"${token.text}" is not a value: a string must be in quotes.`)
  }

  return {
    either,
    valuePath,
    end() {
      if (at < tokens.length) fail(`Unexpected text ${place()}.`)
    },
  }
}

function pathOf(written: string, fail: (message: string) => never): AttributePath {
  const colon = written.toLowerCase().startsWith('urn:') ? written.lastIndexOf(':') : -1
  const [name = '', part, ...more] = written.slice(colon + 1).split('.')
  const urn = colon === -1 ? null : written.slice(0, colon)
  if (name === '' || part === '' || more.length > 0) return fail(`"${written}" is not an attribute name.`)
  return { urn, name, part: part ?? null }
}
