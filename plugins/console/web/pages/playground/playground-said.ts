/** Collects reasoning, refusals and tool calls from a playground stream. */
import type { Row } from '../../api.ts'
import { rowOf, rowsOf } from '../../json.ts'

export interface ToolCall {
  name: string
  /** JSON, which is incomplete while it is streamed. */
  arguments: string
}

export interface Said {
  text: string
  reasoning: string
  refusal: string
  /** Indexed as in the stream. */
  toolCalls: readonly ToolCall[]
}

export const nothingSaid: Said = { text: '', reasoning: '', refusal: '', toolCalls: [] }

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** Reads reasoning. Providers in the OpenAI format use different names for it; others send it as blocks. */
const reasoningOf = ({ reasoning_content: named, reasoning, content_blocks: blocks }: Row): string =>
  textOf(named) ||
  textOf(reasoning) ||
  rowsOf(blocks)
    .map(({ thinking }) => textOf(thinking))
    .join('')

function addCalls(calls: readonly ToolCall[], { tool_calls: added, function_call: legacy }: Row): ToolCall[] {
  const next = [...calls]
  const parts: Row[] = rowsOf(added).map((part) => ({ ...rowOf(part.function), index: part.index }))
  if (legacy !== undefined && legacy !== null) parts.push({ ...rowOf(legacy), index: 0 })
  for (const { index, ...part } of parts) {
    const place = typeof index === 'number' && index < next.length ? index : next.length
    const { name, arguments: before } = next[place] ?? { name: '', arguments: '' }
    next[place] = { name: name + textOf(part.name), arguments: before + textOf(part.arguments) }
  }
  return next
}

/** @param delta the delta of a chunk's first choice */
export const addDelta = (said: Said, delta: Row): Said => ({
  text: said.text + textOf(delta.content),
  reasoning: said.reasoning + reasoningOf(delta),
  refusal: said.refusal + textOf(delta.refusal),
  toolCalls: addCalls(said.toolCalls, delta),
})

/** Formats arguments, with indentation once they are complete. */
export function argumentsText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
