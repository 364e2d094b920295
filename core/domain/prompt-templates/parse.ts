/**
 * Parses one template: Mustache without lambdas, delimiter changes and HTML escaping.
 * https://mustache.github.io/mustache.5.html, https://github.com/mustache/spec (version 1)
 * Errors: {@link TemplateError} with the line and column of the fault.
 */
import mustache from 'mustache'

/** What a template is made of, in order. */
export type Node =
  | { kind: 'text'; text: string }
  /** `isVerbatim`: written `{{{x}}}` or `{{&x}}`. */
  | { kind: 'value'; name: string; isVerbatim: boolean; at: number }
  | { kind: 'section'; name: string; isInverted: boolean; nodes: readonly Node[] }
  /** `indent` stands in front of each line of the partial. */
  | { kind: 'partial'; name: string; indent: string; at: number }
  /** The text of a variable, rendered as a template. */
  | { kind: 'variable-partial'; name: string; indent: string; at: number }

export interface Template {
  text: string
  nodes: readonly Node[]
}

/** A fault of a template, where it stands: line and column from 1. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly line: number
  readonly column: number

  constructor(
    readonly reason: string,
    readonly text: string,
    readonly offset: number,
    path = '',
  ) {
    const before = text.slice(0, offset).split('\n')
    const line = before.length
    const column = (before.at(-1)?.length ?? 0) + 1
    super(`${reason} (${path === '' ? '' : `in ${path}, `}line ${line}, column ${column})`)
    this.line = line
    this.column = column
  }

  /** The same fault, in a string of a JSON template. @param path JSON pointer of the string */
  at(path: string): TemplateError {
    return new TemplateError(this.reason, this.text, this.offset, path)
  }
}

/** In characters, from `{{` to `}}`. */
const longestTag = 1000
const deepestSections = 50

/** @throws TemplateError */
export function parseTemplate(text: string): Template {
  checkTags(text)
  return { text, nodes: read(tokensOf(text), text, 0) }
}

/** Bounds each tag before the parser's expressions see it: they take quadratic time on long runs of spaces. */
function checkTags(text: string): void {
  for (let at = text.indexOf('{{'); at !== -1; ) {
    if (text[at + 2] === '=')
      throw new TemplateError('Delimiters cannot be changed: write tags with {{ and }}', text, at)
    const closing = text[at + 2] === '{' ? '}}}' : '}}'
    const end = text.slice(at, at + longestTag).indexOf(closing, 2)
    if (end === -1) {
      const reason = text.includes(closing, at) ? `longer than ${longestTag} characters` : 'not closed'
      throw new TemplateError(`The tag is ${reason}: ${closing} must follow`, text, at)
    }
    at = text.indexOf('{{', at + end + closing.length)
  }
}

type Token = [type: string, value: string, start: number, end: number, nested?: Token[] | string]

function tokensOf(text: string): Token[] {
  try {
    return new mustache.Writer().parse(text) as Token[]
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const [, message, at] = /^(.*) at (\d+)$/.exec(error.message) ?? []
    // It tells an unclosed section at the end of the text, which the message names.
    throw new TemplateError(message ?? error.message, text, Number(at ?? 0))
  }
}

function read(tokens: readonly Token[], text: string, depth: number): Node[] {
  return tokens.flatMap(([type, value, at, end, nested]): Node[] => {
    if (type === 'text') return [{ kind: 'text', text: value }]
    if (type === '!') return []
    if (value === '' || value === '>') throw new TemplateError('The tag has no name', text, at)
    if (type === 'name' || type === '&') return [{ kind: 'value', name: value, isVerbatim: type === '&', at }]
    if (type === '>') return [partial(value, indentOf(text, at, end), at)]
    if (depth === deepestSections)
      throw new TemplateError(`Sections are nested more than ${deepestSections} deep`, text, at)
    const inner = Array.isArray(nested) ? nested : []
    return [{ kind: 'section', name: value, isInverted: type === '^', nodes: read(inner, text, depth + 1) }]
  })
}

/** The white space in front of a tag that stands alone on its line; nothing for any other tag. */
function indentOf(text: string, start: number, end: number): string {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const lineEnd = text.indexOf('\n', end)
  const after = text.slice(end, lineEnd === -1 ? undefined : lineEnd)
  return before.trim() === '' && after.trim() === '' ? before : ''
}

function partial(value: string, indent: string, at: number): Node {
  if (!value.startsWith('>')) return { kind: 'partial', name: value, indent, at }
  return { kind: 'variable-partial', name: value.slice(1).trim(), indent, at }
}
