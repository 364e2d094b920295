/** The document as one page to read: no script, nothing from elsewhere, so that a strict policy can stand on it. */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { escapeText, schemaTable, typeOf } from './page-schema.ts'
import { pageStyle } from './page-style.ts'

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** What the browser may do with the page: apply its one style. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${hash(pageStyle)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Entry {
  method: string
  path: string
  operation: JsonObject
  aliases: string[]
}

export function renderPage(document: JsonObject): string {
  const info = objectAt(document, 'info')
  const groups = groupByTag(entriesOf(document))
  const schemas = Object.entries(objectAt(objectAt(document, 'components'), 'schemas'))
  const title = escapeText(text(info.title))
  const links = [...groups.keys()].map((tag) => `<a href="#${anchor(tag)}">${escapeText(tag)}</a>`)
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${pageStyle}</style></head><body>`,
    `<header><h1>${title} <small>${escapeText(text(info.version))}</small></h1>`,
    `<p>${code(text(info.description))}</p>`,
    '<p>The same for programs: <a href="/v1/openapi.json">/v1/openapi.json</a></p></header>',
    `<nav>${links.join(' ')} <a href="#schemas">Schemas</a></nav><main>`,
    ...[...groups].map(([tag, entries]) => section(tag, entries)),
    '<section><h2 id="schemas">Schemas</h2>',
    ...schemas.map(
      ([name, schema = {}]) =>
        `<details id="schema-${escapeText(name)}"><summary>${escapeText(name)}</summary>${schemaTable(schema)}</details>`,
    ),
    '</section></main></body></html>',
  ].join('\n')
}

/** Every operation once, with the other paths that lead to it. */
function entriesOf(document: JsonObject): Entry[] {
  const found: Entry[] = []
  const aliases = new Map<string, string[]>()
  for (const [path, item] of Object.entries(objectAt(document, 'paths'))) {
    for (const [method, operation] of Object.entries(isObject(item) ? item : {})) {
      if (!isObject(operation)) continue
      const original = operation['x-alias-of']
      if (typeof original !== 'string') {
        found.push({ method, path, operation, aliases: [] })
        continue
      }
      const key = `${method} ${original}`
      aliases.set(key, [...(aliases.get(key) ?? []), path])
    }
  }
  return found.map((entry) => ({ ...entry, aliases: aliases.get(`${entry.method} ${entry.path}`) ?? [] }))
}

function groupByTag(entries: readonly Entry[]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const [tag] = listOf(entry.operation.tags)
    const name = text(tag)
    groups.set(name, [...(groups.get(name) ?? []), entry])
  }
  return groups
}

const section = (tag: string, entries: readonly Entry[]) =>
  `<section><h2 id="${anchor(tag)}">${escapeText(tag)}</h2>${entries.map(operationOf).join('\n')}</section>`

function operationOf({ method, path, operation, aliases }: Entry): string {
  const id = escapeText(text(operation.operationId))
  const scope = operation['x-scope']
  const needs = scope === null ? 'none' : Array.isArray(scope) ? scope.map(text).join(' or ') : text(scope)
  const parameters = listOf(operation.parameters).filter(isObject)
  return [
    `<details id="${id}"><summary><b class="${escapeText(method)}">${escapeText(method.toUpperCase())}</b>`,
    `<code>${escapeText(path)}</code> ${escapeText(text(operation.summary))}</summary>`,
    `<p>Scope: <code>${escapeText(needs)}</code>. Operation: <code>${id}</code>.</p>`,
    aliases.length === 0
      ? ''
      : `<p>Also at ${aliases.map((alias) => `<code>${escapeText(alias)}</code>`).join(', ')}.</p>`,
    parameters.length === 0 ? '' : parameterTable(parameters),
    isObject(operation.requestBody) ? `<h3>Body</h3>${contentOf(operation.requestBody)}` : '',
    ...Object.entries(objectAt(operation, 'responses')).flatMap(([status, response]) =>
      isObject(response) && response.content !== undefined
        ? [`<h3>${escapeText(status)}: ${escapeText(text(response.description))}</h3>${contentOf(response)}`]
        : [],
    ),
    '</details>',
  ].join('\n')
}

function parameterTable(parameters: readonly JsonObject[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, schema = {}, description = '' }) =>
      `<tr><td><code>${escapeText(text(name))}</code></td><td>${escapeText(text(place))}</td><td>${typeOf(schema)}${required === true ? ', required' : ''}</td><td>${code(text(description))}</td></tr>`,
  )
  return `<h3>Parameters</h3><table>${rows.join('')}</table>`
}

function contentOf(holder: JsonObject): string {
  return Object.entries(objectAt(holder, 'content'))
    .map(([type, media]) => {
      const schema = isObject(media) ? media.schema : undefined
      return `<p><code>${escapeText(type)}</code></p>${schema === undefined ? '' : schemaTable(schema)}`
    })
    .join('')
}

/** Words between backticks are code. */
const code = (words: string) => escapeText(words).replace(/`([^`]*)`/g, '<code>$1</code>')

const anchor = (tag: string) => `tag-${tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

function objectAt(value: JsonObject, name: string): JsonObject {
  const member = value[name]
  return isObject(member) ? member : {}
}
