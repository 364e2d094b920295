/**
 * A conversation as text, for a model that summarises it: providers differ in which turns, calls and media they accept
 * as messages, and all of them read text.
 */
import { isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import { readItem } from './texts.ts'

/** The instructions and the items, each below its role. */
export function transcriptOf(instructions: Json | undefined, items: readonly JsonObject[]): string {
  const turns = items.map(turnOf)
  if (typeof instructions === 'string') turns.unshift(['system', instructions])
  return turns
    .filter(([, text]) => text.trim() !== '')
    .map(([role, text]) => `<${role}>\n${text}\n</${role}>`)
    .join('\n\n')
}

type Turn = [role: string, text: string]

function turnOf(item: JsonObject): Turn {
  const type = typeof item.type === 'string' ? item.type : 'message'
  if (type === 'function_call' || type === 'custom_tool_call')
    return ['tool_call', `${String(item.name)}: ${String(item.arguments ?? item.input ?? '')}`]
  // It was for the turn that it led to.
  if (type === 'reasoning') return ['reasoning', '']
  const parts: TextPart[] = []
  readItem(item, '', parts)
  const said = [...parts.map(({ text }) => text), ...mediaOf(item.content), ...mediaOf(item.output)]
  return [roleOf(item, type), said.join('\n')]
}

function roleOf({ role }: JsonObject, type: string): string {
  if (typeof role === 'string') return role
  return type.endsWith('_output') ? 'tool_result' : type
}

const media: ReadonlySet<unknown> = new Set(['input_image', 'input_file', 'input_audio'])

/** Images, files and audio are only mentioned. */
const mediaOf = (content: Json | undefined): string[] =>
  (Array.isArray(content) ? content.filter(isObject) : [])
    .filter(({ type }) => media.has(type))
    .map(({ type }) => `[${String(type).replace('input_', '')}]`)
