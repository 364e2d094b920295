/** Which texts of its input a check looks at. Each text stands for itself: nothing matches across two messages. */
import { type CheckInput, isObject, type TextPart } from '@gateway/contract'
import type { Scope } from './parameters.ts'

/** The role of what a request says of its tools. */
export const toolDefinition = 'tool_definition'

/** Picks the whole conversation, and what is said of its tools, or the last message of a request alone; of all else, everything. */
export function partsInScope(input: CheckInput, scope: Scope): readonly TextPart[] {
  return scope === 'last' ? input.lastParts : input.parts
}

/** The same without what is said of tools: a rule about form is about what somebody says. */
export function spokenParts(input: CheckInput, scope: Scope): readonly TextPart[] {
  const parts = partsInScope(input, scope)
  return parts[0]?.role === toolDefinition ? parts.filter(({ role }) => role !== toolDefinition) : parts
}

const choicePath = /^\/choices\/(\d+)\//
const contentPath = /^\/choices\/\d+\/(?:message\/content(?:\/|$)|text$)/
const blockPath = /^\/content\/\d+\/text$/
const itemPath = /^\/output\/(\d+)\/content\/\d+\/text$/

/**
 * Gathers what each choice of an answer says: the texts of its content alone, without reasoning, refusal and tool
 * calls. Formats that have no choices have one; of an answer whose format has no content either, it is every text.
 */
export function choiceContents(input: CheckInput): TextPart[][] {
  const { endpoint, parts, response } = input
  switch (endpoint) {
    case 'chatComplete':
    case 'complete':
      return ofChoices(input)
    case 'messages':
      return [parts.filter(({ path }) => blockPath.test(path))]
    case 'createModelResponse':
    case 'getModelResponse':
      return [parts.filter(({ path }) => isSaid(path, response?.json?.output))]
    case 'createTranscription':
    case 'createTranslation':
      return [parts.filter(({ path }) => path === '/text')]
    default:
      return [[...parts]]
  }
}

function ofChoices({ parts, response }: CheckInput): TextPart[][] {
  const listed = response?.json?.choices
  const contents = new Map<number, TextPart[]>()
  if (Array.isArray(listed)) for (const index of listed.keys()) contents.set(index, [])
  for (const part of parts) {
    const index = Number(choicePath.exec(part.path)?.[1] ?? Number.NaN)
    if (Number.isNaN(index)) continue
    const before = contents.get(index) ?? []
    contents.set(index, contentPath.test(part.path) ? [...before, part] : before)
  }
  return [...contents.entries()].sort(([left], [right]) => left - right).map(([, content]) => content)
}

/** Reasoning has its texts under the same names as a message; while a stream arrives the items are not known. */
function isSaid(path: string, output: unknown): boolean {
  const index = itemPath.exec(path)?.[1]
  if (index === undefined) return false
  const item: unknown = Array.isArray(output) ? output[Number(index)] : undefined
  return !isObject(item) || item.type === 'message'
}

/** The same as texts, those of a choice joined. */
export function choiceTexts(input: CheckInput): string[] {
  return choiceContents(input).map((content) => content.map(({ text }) => text).join(''))
}

/** The texts that a rule about form looks at: those in scope of a request, the contents of an answer's choices. */
export function saidParts(input: CheckInput, scope: Scope): readonly TextPart[] {
  return input.phase === 'after' ? choiceContents(input).flat() : spokenParts(input, scope)
}
