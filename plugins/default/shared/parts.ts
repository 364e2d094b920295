/** Selects the texts of its input that a check reads. Each text is separate: nothing matches across two messages. */
import { type CheckInput, isObject, type TextPart } from '@gateway/contract'
import type { Scope } from './parameters.ts'

/** The role of tool definitions in a request. */
export const toolDefinition = 'tool_definition'

/**
 * Returns the whole conversation with tool definitions, or only the last message of a request; for other inputs all
 * texts.
 */
export function partsInScope(input: CheckInput, scope: Scope): readonly TextPart[] {
  return scope === 'last' ? input.lastParts : input.parts
}

/** The same without tool definitions: a rule about form applies only to written text. */
export function spokenParts(input: CheckInput, scope: Scope): readonly TextPart[] {
  const parts = partsInScope(input, scope)
  return parts[0]?.role === toolDefinition ? parts.filter(({ role }) => role !== toolDefinition) : parts
}

const choicePath = /^\/choices\/(\d+)\//
const contentPath = /^\/choices\/\d+\/(?:message\/content(?:\/|$)|text$)/
const blockPath = /^\/content\/\d+\/text$/
const itemPath = /^\/output\/(\d+)\/content\/\d+\/text$/

/**
 * The content texts of each choice of an answer, without reasoning, refusal and tool calls. Formats without choices
 * have one; if an answer's format has no content either, all texts.
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
    case 'generateContent':
      return ofCandidates(input)
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

const candidatePath = /^\/candidates\/(\d+)\/content\/parts\/(\d+)\/text$/

/** The texts of each candidate without its thoughts, which have another path in a stream. */
function ofCandidates({ parts, response }: CheckInput): TextPart[][] {
  const listed = response?.json?.candidates
  const contents = new Map<number, TextPart[]>()
  if (Array.isArray(listed)) for (const index of listed.keys()) contents.set(index, [])
  for (const part of parts) {
    const [, index, place] = candidatePath.exec(part.path) ?? []
    if (index === undefined || isThought(listed, Number(index), Number(place))) continue
    contents.set(Number(index), [...(contents.get(Number(index)) ?? []), part])
  }
  return [...contents.entries()].sort(([left], [right]) => left - right).map(([, content]) => content)
}

function isThought(candidates: unknown, index: number, place: number): boolean {
  const candidate: unknown = Array.isArray(candidates) ? candidates[index] : undefined
  const content = isObject(candidate) ? candidate.content : undefined
  const part = isObject(content) && Array.isArray(content.parts) ? content.parts[place] : undefined
  return isObject(part) && part.thought === true
}

/** Reasoning has its texts under the same names as a message; in a stream the item types are not known yet. */
function isSaid(path: string, output: unknown): boolean {
  const index = itemPath.exec(path)?.[1]
  if (index === undefined) return false
  const item: unknown = Array.isArray(output) ? output[Number(index)] : undefined
  return !isObject(item) || item.type === 'message'
}

/** The same as strings, those of a choice joined. */
export function choiceTexts(input: CheckInput): string[] {
  return choiceContents(input).map((content) => content.map(({ text }) => text).join(''))
}

/** The texts that rules about form check: those in scope of a request, the contents of an answer's choices. */
export function saidParts(input: CheckInput, scope: Scope): readonly TextPart[] {
  return input.phase === 'after' ? choiceContents(input).flat() : spokenParts(input, scope)
}
