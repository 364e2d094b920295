/**
 * Describes where a text stops being valid JSON (RFC 8259). The messages of `JSON.parse` differ between Node's versions, often
 * lack the position, and quote the text around it, which may contain a credential; the messages of this file quote one character.
 */

export interface JsonFault {
  /** The line of the first invalid character. Lines and columns count from 1. */
  line: number
  column: number
  /** A description of the error: `found "}" after a comma: …`. */
  message: string
}

/** A longer text is not searched: it would block the process. */
const maxSearchedChars = 1_000_000

/** `is not valid JSON at character 12: …`, with line and column for a text of several lines. */
export function describeJsonFault(text: string): string {
  const fault = findJsonFault(text)
  if (fault === null) return 'is not valid JSON'
  const { line, column, message } = fault
  const place = text.includes('\n') ? `line ${line}, column ${column}` : `character ${column}`
  return `is not valid JSON at ${place}: ${message}`
}

/** Returns null for valid JSON, and for a text that is too long to be searched. */
export function findJsonFault(text: string, maxChars = maxSearchedChars): JsonFault | null {
  if (text.length > maxChars) return null
  const found = scan(text)
  if (found === null) return null
  const before = text.slice(0, found.at)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: found.at - lineStart + 1, message: found.message }
}

interface Found {
  at: number
  message: string
}

/** The tokens that may come next. */
type State = 'value' | 'item' | 'firstItem' | 'key' | 'firstKey' | 'colon' | 'rest'

const expected: Readonly<Record<Exclude<State, 'rest'>, string>> = {
  value: 'a value',
  item: 'a value',
  firstItem: 'a value or "]"',
  key: 'a key in double quotes',
  firstKey: 'a key in double quotes or "}"',
  colon: '":"',
}

/** Reads the text once. Nesting is kept in a list, because recursion could overflow the stack. */
function scan(text: string): Found | null {
  const open: ('{' | '[')[] = []
  let state: State = 'value'
  let at = 0
  for (;;) {
    at = skipSpace(text, at)
    const char = text[at] ?? ''
    const container = open.at(-1)
    if (state === 'rest') {
      if (container === undefined) return char === '' ? null : { at, message: foundBut(text, at, 'the end') }
      const close = container === '{' ? '}' : ']'
      if (char === ',') state = container === '{' ? 'key' : 'item'
      else if (char === close) open.pop()
      else return { at, message: foundBut(text, at, `"," or "${close}"`) }
      at += 1
      continue
    }
    if ((state === 'firstItem' && char === ']') || (state === 'firstKey' && char === '}')) {
      open.pop()
      state = 'rest'
      at += 1
      continue
    }
    if (state === 'colon') {
      if (char !== ':') return { at, message: foundBut(text, at, expected.colon) }
      state = 'value'
      at += 1
      continue
    }
    const isKey: boolean = state === 'key' || state === 'firstKey'
    if (char === '"') {
      const end = endOfString(text, at)
      if (typeof end !== 'number') return end
      at = end
      state = isKey ? 'colon' : 'rest'
      continue
    }
    if (isKey) return { at, message: foundBut(text, at, expected[state]) }
    if (char === '{' || char === '[') {
      open.push(char)
      state = char === '{' ? 'firstKey' : 'firstItem'
      at += 1
      continue
    }
    const end = endOfLiteral(text, at)
    if (end === at) return { at, message: foundBut(text, at, expected[state]) }
    at = end
    state = 'rest'
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return at
}

/** The end position of a number, `true`, `false` or `null`; the same position when nothing matches. */
function endOfLiteral(text: string, at: number): number {
  literal.lastIndex = at
  return literal.test(text) ? literal.lastIndex : at
}

const literal = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y

function endOfString(text: string, start: number): number | Found {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text[at] as string
    if (char === '"') return at + 1
    if (char < ' ')
      return { at, message: `found ${nameOf(char)} inside a string: write it as ${escapeOf(char)}` }
    if (char !== '\\') continue
    escapeSequence.lastIndex = at
    if (!escapeSequence.test(text)) return { at, message: 'found a backslash that starts no escape sequence' }
    at = escapeSequence.lastIndex - 1
  }
  return { at: start, message: 'the string that begins here has no closing quote' }
}

const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** `found "}" after a comma: …`, `the text ends where …`. */
function foundBut(text: string, at: number, wanted: string): string {
  const char = text[at]
  if (char === undefined) return `the text ends where ${wanted} is expected`
  return `found ${nameOf(char)} where ${wanted} is expected${hintFor(text, at)}`
}

/** Common mistakes, by the text at the position. */
const hints: readonly [at: RegExp, hint: string][] = [
  [/['‘’“”`]/y, 'JSON uses straight double quotes'],
  [/\/[/*]|#/y, 'JSON has no comments'],
  [/(?:True|False|None)\b/y, 'write true, false or null in lowercase'],
  [/(?:-?Infinity|NaN|undefined)\b/y, 'JSON has no such value'],
  [/\$\{/y, 'write a variable in double quotes'],
]

function hintFor(text: string, at: number): string {
  const isTrailing = /^[}\]]$/.test(text[at] ?? '') && text.slice(0, at).trimEnd().endsWith(',')
  if (isTrailing) return ' (remove the comma before it)'
  for (const [pattern, hint] of hints) {
    pattern.lastIndex = at
    if (pattern.test(text)) return ` (${hint})`
  }
  return ''
}

const names: Readonly<Record<string, string>> = {
  '\n': 'a line break',
  '\r': 'a line break',
  '\t': 'a tab',
  '"': 'a double quote',
}

const nameOf = (char: string): string =>
  names[char] ?? (char < ' ' || char === '\u007f' ? `the control character ${codeOf(char)}` : `"${char}"`)

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeOf = (char: string): string => escapes[char] ?? `\\u${codeOf(char).slice(2)}`

const codeOf = (char: string): string => `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
