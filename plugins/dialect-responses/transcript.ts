/**
 * A conversation as text, for a model that summarises it. Providers differ in the turns, calls and media that they
 * accept as messages, but all of them read text.
 */
import { isObject, type Json, type JsonObject, type TextPart, wellFormed } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import { readItem } from './texts.ts'

/**
 * Formats the instructions and the items, each below its role.
 * @param context if its `share` is less than 1, the longest texts are shortened in the middle, and their paths are
 * added to `leftOut`
 */
export function transcriptOf(
  instructions: Json | undefined,
  items: readonly JsonObject[],
  { share, leftOut }: Pick<DialectContext, 'share' | 'leftOut'>,
): string {
  const turns = items.map(turnOf)
  const system: Turn[] = typeof instructions === 'string' ? [['system', instructions]] : []
  const most = share < 1 ? longestWithin([...system, ...turns], share) : Number.POSITIVE_INFINITY
  if (system.some(([, text]) => text.length > most)) leftOut.push('/instructions')
  for (const [index, [, text]] of turns.entries()) if (text.length > most) leftOut.push(`/input/${index}`)
  return [...system, ...turns]
    .filter(([, text]) => text.trim() !== '')
    .map(([role, text]) => `<${role}>\n${shortened(text, most)}\n</${role}>`)
    .join('\n\n')
}

/** The length to which texts are shortened so that together they have this share of their characters. */
function longestWithin(turns: readonly Turn[], share: number): number {
  const lengths = turns.map(([, text]) => text.length).sort((one, other) => one - other)
  let room = share * lengths.reduce((sum, length) => sum + length, 0)
  for (const [index, length] of lengths.entries()) {
    const each = room / (lengths.length - index)
    if (length > each) return Math.floor(each)
    room -= length
  }
  return Number.POSITIVE_INFINITY
}

/** Cuts the middle of a text. Its beginning says what it is, and its end contains the outcome. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const cut = text.length - 2 * half
  const kept = [text.slice(0, half), text.slice(text.length - half)]
  return kept.map(wellFormed).join(`\n[… ${cut} characters left out …]\n`)
}

type Turn = [role: string, text: string]

function turnOf(item: JsonObject): Turn {
  const type = typeof item.type === 'string' ? item.type : 'message'
  if (type === 'function_call' || type === 'custom_tool_call')
    return ['tool_call', `${String(item.name)}: ${String(item.arguments ?? item.input ?? '')}`]
  // Reasoning was only relevant to the turn that it led to.
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
