/** Which texts of its input a check looks at. Each text stands for itself: nothing matches across two messages. */
import type { CheckInput, TextPart } from '@gateway/core/contract'
import type { Scope } from './parameters.ts'

/** Picks the whole conversation, or the last message of a chat request alone; of all else, everything. */
export function partsInScope(input: CheckInput, scope: Scope): readonly TextPart[] {
  const { messages } = input.request.json
  if (scope === 'all' || input.phase === 'after' || input.endpoint !== 'chatComplete') return input.parts
  if (!Array.isArray(messages)) return input.parts
  const prefix = `/messages/${messages.length - 1}/`
  return input.parts.filter((part) => part.path.startsWith(prefix))
}

const choicePath = /^\/choices\/(\d+)\//
const contentPath = /^\/choices\/\d+\/(?:message\/content(?:\/|$)|text$)/

/** Gathers what each choice of an answer says: its content alone, without reasoning, refusal and tool calls. */
export function choiceTexts(input: CheckInput): string[] {
  const listed = input.response?.json?.choices
  const texts = new Map<number, string>()
  if (Array.isArray(listed)) for (const index of listed.keys()) texts.set(index, '')
  for (const { path, text } of input.parts) {
    const index = Number(choicePath.exec(path)?.[1] ?? Number.NaN)
    if (Number.isNaN(index)) continue
    const before = texts.get(index) ?? ''
    texts.set(index, contentPath.test(path) ? before + text : before)
  }
  return [...texts.entries()].sort(([left], [right]) => left - right).map(([, text]) => text)
}
