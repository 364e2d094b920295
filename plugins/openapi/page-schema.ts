/** Schemas as tables of their members; components are links. */
import { isObject, type Json } from '@gateway/contract'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeText = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

/** Deeper ones are named by their type alone. */
const maxDepth = 4

/** What a value may be, in a few words of HTML. */
export function typeOf(schema: Json): string {
  if (!isObject(schema)) return schema === false ? 'nothing' : 'anything'
  if (typeof schema.$ref === 'string') {
    const name = escapeText(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1))
    return `<a href="#schema-${name}">${name}</a>`
  }
  if (schema.const !== undefined) return `<code>${escapeText(JSON.stringify(schema.const))}</code>`
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value) => `<code>${escapeText(JSON.stringify(value))}</code>`).join(' | ')
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return choices.map(typeOf).join(' | ')
  const names = [schema.type ?? 'anything'].flat().map((name) => escapeText(String(name)))
  const items = names.includes('array') && schema.items !== undefined ? ` of ${typeOf(schema.items)}` : ''
  return `${names.join(' | ')}${items}${boundsOf(schema)}`
}

const bounds = [
  ['minimum', '≥ '],
  ['exclusiveMinimum', '> '],
  ['maximum', '≤ '],
  ['exclusiveMaximum', '< '],
  ['minLength', 'length ≥ '],
  ['maxLength', 'length ≤ '],
  ['minItems', 'items ≥ '],
  ['maxItems', 'items ≤ '],
  ['pattern', 'matches '],
  ['default', 'default '],
] as const

function boundsOf(schema: Readonly<Record<string, Json | undefined>>): string {
  const said = bounds.flatMap(([name, words]) => {
    const value = schema[name]
    if (value === undefined) return []
    return [`${words}${escapeText(typeof value === 'string' ? value : JSON.stringify(value))}`]
  })
  return said.length === 0 ? '' : ` (${said.join(', ')})`
}

/** A table of an object's members, and of those of its objects. */
export function schemaTable(schema: Json, depth = 0): string {
  if (!isObject(schema)) return ''
  if (!isObject(schema.properties)) return depth === 0 ? `<p>${typeOf(schema)}</p>` : ''
  const required = Array.isArray(schema.required) ? schema.required : []
  const rows = Object.entries(schema.properties).map(([name, member = {}]) => {
    const nested = depth < maxDepth ? schemaTable(innerOf(member), depth + 1) : ''
    const words =
      isObject(member) && typeof member.description === 'string' ? escapeText(member.description) : ''
    const must = required.includes(name) ? ', required' : ''
    return `<tr><td><code>${escapeText(name)}</code></td><td>${typeOf(member)}${must}</td><td>${words}${nested}</td></tr>`
  })
  return `<table>${rows.join('')}</table>`
}

/** The object that a member is, or is a list of, whatever else it may be. */
function innerOf(member: Json): Json {
  if (!isObject(member)) return {}
  const choices = member.anyOf ?? member.oneOf
  if (Array.isArray(choices)) return choices.map(innerOf).find(hasMembers) ?? {}
  return member.items !== undefined && !Array.isArray(member.items) ? member.items : member
}

const hasMembers = (schema: Json) => isObject(schema) && isObject(schema.properties)
