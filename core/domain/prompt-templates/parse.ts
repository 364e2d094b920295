/**
 * Parses one template: Mustache without lambdas, delimiter changes and HTML escaping.
 * https://mustache.github.io/mustache.5.html, https://github.com/mustache/spec (version 1)
 * Errors: {@link TemplateError} with its line and column.
 */
import { type Tag, tagsOf } from './tags.ts'
import { TemplateError } from './template-error.ts'

/** The nodes of a template, in order. */
export type TemplateNode =
  | { kind: 'text'; text: string }
  /** `isVerbatim`: written `{{{x}}}` or `{{&x}}`. */
  | { kind: 'value'; name: string; isVerbatim: boolean; at: number }
  | { kind: 'section'; name: string; isInverted: boolean; nodes: readonly TemplateNode[] }
  /** `indent` is prepended to each line of the partial. */
  | { kind: 'partial'; name: string; indent: string; at: number }
  /** The text of a variable, rendered as a template. */
  | { kind: 'variable-partial'; name: string; indent: string; at: number }

export interface Template {
  text: string
  nodes: readonly TemplateNode[]
}

const deepestSections = 50

/** An open section and its position. */
interface Open {
  name: string
  around: TemplateNode[]
}

/** @throws TemplateError */
export function parseTemplate(text: string): Template {
  const root: TemplateNode[] = []
  const open: Open[] = []
  let nodes = root
  let at = 0
  for (const tag of tagsOf(text)) {
    addText(nodes, text.slice(at, tag.takes.from))
    at = tag.takes.to
    if (tag.sign === '!') continue
    if (tag.name === '' || tag.name === '>')
      throw new TemplateError('The tag has no name', { text, offset: tag.start })
    if (tag.sign === '/') nodes = close(open, tag, text)
    else if (tag.sign === '#' || tag.sign === '^') {
      if (open.length === deepestSections)
        throw new TemplateError(`Sections are nested more than ${deepestSections} deep`, {
          text,
          offset: tag.start,
        })
      const inner: TemplateNode[] = []
      nodes.push({ kind: 'section', name: tag.name, isInverted: tag.sign === '^', nodes: inner })
      open.push({ name: tag.name, around: nodes })
      nodes = inner
    } else nodes.push(leafOf(tag))
  }
  const unclosed = open.at(-1)
  if (unclosed !== undefined)
    throw new TemplateError(`Unclosed section "${unclosed.name}"`, { text, offset: text.length })
  addText(nodes, text.slice(at))
  return { text, nodes: root }
}

function addText(nodes: TemplateNode[], text: string): void {
  if (text !== '') nodes.push({ kind: 'text', text })
}

/** The nodes around the section that a tag closes. */
function close(open: Open[], { name, start }: Tag, text: string): TemplateNode[] {
  const last = open.pop()
  if (last === undefined) throw new TemplateError(`Unopened section "${name}"`, { text, offset: start })
  if (last.name !== name) throw new TemplateError(`Unclosed section "${last.name}"`, { text, offset: start })
  return last.around
}

function leafOf({ sign, name, indent, start: at }: Tag): TemplateNode {
  if (sign !== '>') return { kind: 'value', name, isVerbatim: sign === '&', at }
  return name.startsWith('>')
    ? { kind: 'variable-partial', name: name.slice(1).trim(), indent, at }
    : { kind: 'partial', name, indent, at }
}
