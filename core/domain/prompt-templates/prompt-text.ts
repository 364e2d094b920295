/**
 * The text of a prompt version. A chat template is JSON. Each string in it is a separate template, so no value can
 * break out of its string. A raw template is one text in which values are JSON-escaped; a completion template is one
 * text. Errors: {@link TemplateError}, {@link PromptTextError} for a text that is not JSON messages.
 */
import { describeJsonFault, isObject, type Json, type JsonObject } from '@gateway/contract'
import { parseTemplate, type Template, type TemplateNode } from './parse.ts'
import { TemplateError } from './template-error.ts'

export type PromptText =
  | { kind: 'text'; template: Template }
  /** `templates` by their text; strings without tags are omitted. */
  | { kind: 'strings'; messages: Json; templates: ReadonlyMap<string, Template> }

export class PromptTextError extends Error {
  override readonly name = 'PromptTextError'
}

export interface PromptKind {
  type: 'chat' | 'completion'
  isRaw: boolean
}

/** The prompt's type, from a version's fields. */
export const promptKindOf = (content: {
  is_raw_template: unknown
  template_metadata: { template_type?: unknown }
}): PromptKind => ({
  type: content.template_metadata.template_type === 'completion' ? 'completion' : 'chat',
  isRaw: Boolean(content.is_raw_template),
})

/** @throws TemplateError, PromptTextError */
export function parsePromptText(text: string, kind: PromptKind): PromptText {
  if (kind.type === 'completion' || kind.isRaw) {
    const template = parseTemplate(text)
    if (!kind.isRaw) refuseVerbatim(template)
    return { kind: 'text', template }
  }
  const messages = parseMessages(text)
  const templates = new Map<string, Template>()
  forEachString(messages, '', (string, path) => {
    if (!string.includes('{{')) return
    const template = parseAt(string, path)
    refuseVerbatim(template)
    templates.set(string, template)
  })
  return { kind: 'strings', messages, templates }
}

/** A partial's text; the including template determines how values are inserted. @throws TemplateError */
export const parsePartialText = (text: string): Template => parseTemplate(text)

/** Parses the messages in a text. @throws PromptTextError */
export function parseMessages(text: string): Json[] {
  let messages: Json
  try {
    messages = JSON.parse(text)
  } catch {
    throw new PromptTextError(`The template ${describeJsonFault(text)}.`)
  }
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isMessage))
    throw new PromptTextError('The template must be a JSON array of messages, each an object with a "role".')
  return messages
}

const isMessage = (value: Json): value is JsonObject => isObject(value) && typeof value.role === 'string'

function forEachString(value: Json, path: string, visit: (text: string, path: string) => void): void {
  if (typeof value === 'string') visit(value, path)
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) forEachString(item, `${path}/${index}`, visit)
  else if (isObject(value))
    for (const [key, member] of Object.entries(value))
      if (member !== undefined) forEachString(member, `${path}/${key}`, visit)
}

function parseAt(text: string, path: string): Template {
  try {
    return parseTemplate(text)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw error.at(path)
  }
}

/** @throws TemplateError for an unescaped value, which only raw templates allow */
export function refuseVerbatim({ nodes, text }: Template): void {
  for (const node of everyNode(nodes))
    if (node.kind === 'value' && node.isVerbatim)
      throw new TemplateError('Unescaped values ({{{x}}}, {{&x}}) are allowed only in raw templates', {
        text,
        offset: node.at,
      })
}

/** The nodes of a template, including those in sections. */
function* everyNode(nodes: readonly TemplateNode[]): Generator<TemplateNode, void, void> {
  for (const node of nodes) {
    yield node
    if (node.kind === 'section') yield* everyNode(node.nodes)
  }
}

/** The templates of a prompt's text. */
export const templatesOf = (prompt: PromptText): readonly Template[] =>
  prompt.kind === 'text' ? [prompt.template] : [...prompt.templates.values()]

/** Distinct names of values that templates use, including sections; without `.`. */
export function variablesIn(templates: Iterable<Template>): string[] {
  const names = new Set<string>()
  for (const { nodes } of templates)
    for (const node of everyNode(nodes))
      if (node.kind !== 'text' && node.kind !== 'partial' && node.name !== '.') names.add(node.name)
  return [...names]
}

/** Splits a reference into the slug and the version after the `@`; the version is null if absent. */
export function splitReference(reference: string): { name: string; version: string | null } {
  const at = reference.indexOf('@')
  return at === -1
    ? { name: reference.trim(), version: null }
    : { name: reference.slice(0, at).trim(), version: reference.slice(at + 1).trim() }
}

/** Distinct partial references in templates, as written (`slug`, `slug@2`). */
export function partialsIn(templates: Iterable<Template>): string[] {
  const names = new Set<string>()
  for (const { nodes } of templates)
    for (const node of everyNode(nodes)) if (node.kind === 'partial') names.add(node.name)
  return [...names]
}

/** Reports a partial's error at the tag in these templates that includes it. */
export function partialFault(
  templates: Iterable<Template>,
  reference: string,
  reason: string,
): TemplateError | null {
  for (const { nodes, text } of templates)
    for (const node of everyNode(nodes))
      if (node.kind === 'partial' && node.name === reference)
        return new TemplateError(reason, { text, offset: node.at })
  return null
}
