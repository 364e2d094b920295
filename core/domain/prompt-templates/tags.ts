/**
 * The tags of a template. A standalone tag is alone on its line, and the line is removed. A line with two tags is not
 * standalone, as in version 1 of the specification: https://github.com/mustache/spec Errors: {@link TemplateError}.
 */
import { TemplateError } from './template-error.ts'

export interface Tag {
  /** `&` is also `{{{x}}}`; empty for a value. */
  sign: '' | '#' | '^' | '/' | '>' | '!' | '&'
  /** The text after the sign, trimmed. */
  name: string
  start: number
  end: number
  /** The extent of its line for a standalone tag, else of the tag. */
  takes: { from: number; to: number }
  /** The indentation of a standalone tag. */
  indent: string
}

/** The maximum length of a tag from `{{` to `}}`, in characters. */
const longestTag = 1000

/** @throws TemplateError for an unclosed tag, and for a delimiter change */
export function* tagsOf(text: string): Generator<Tag, void, void> {
  for (let at = text.indexOf('{{'); at !== -1; ) {
    if (text[at + 2] === '=')
      throw new TemplateError('Delimiters cannot be changed: write tags with {{ and }}', { text, offset: at })
    const isTriple = text[at + 2] === '{'
    const closing = isTriple ? '}}}' : '}}'
    const length = text.slice(at, at + longestTag).indexOf(closing, isTriple ? 3 : 2)
    if (length === -1) {
      const reason = text.includes(closing, at) ? `longer than ${longestTag} characters` : 'not closed'
      throw new TemplateError(`The tag is ${reason}: ${closing} must follow`, { text, offset: at })
    }
    const end = at + length + closing.length
    yield tagOf(text, { start: at, end, content: text.slice(at + closing.length, at + length), isTriple })
    at = text.indexOf('{{', end)
  }
}

const signs = /^\s*([#^/>!&]?)/

interface Found {
  start: number
  end: number
  /** The text between the braces. */
  content: string
  isTriple: boolean
}

function tagOf(text: string, { start, end, content, isTriple }: Found): Tag {
  const [head = '', written = ''] = isTriple ? ['', '&'] : (signs.exec(content) ?? [])
  const sign = written as Tag['sign']
  const name = content.slice(head.length).trim()
  const line = sign === '' || sign === '&' ? null : lineOf(text, start, end)
  if (line === null) return { sign, name, start, end, takes: { from: start, to: end }, indent: '' }
  return { sign, name, start, end, takes: line, indent: text.slice(line.from, start) }
}

const isBlank = (char: string | undefined): boolean => char !== undefined && char !== '\n' && /\s/.test(char)

/** The line of a standalone tag, including the line break; null for other tags. */
function lineOf(text: string, start: number, end: number): Tag['takes'] | null {
  let from = start
  while (isBlank(text[from - 1])) from -= 1
  if (from > 0 && text[from - 1] !== '\n') return null
  let to = end
  while (isBlank(text[to])) to += 1
  if (to < text.length && text[to] !== '\n') return null
  return { from, to: Math.min(to + 1, text.length) }
}
