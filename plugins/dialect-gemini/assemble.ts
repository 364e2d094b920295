/** Joins the events of a stream into one answer, and splits an answer into events. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { candidatesOf } from './deltas.ts'

/** Every member of a later event replaces the earlier one, except parts, which are appended. */
export function assembleContent(events: readonly JsonObject[]): JsonObject {
  let whole: JsonObject = {}
  const candidates = new Map<number, JsonObject>()
  for (const event of events) {
    const { candidates: _, ...rest } = event
    whole = { ...whole, ...rest }
    for (const [index, candidate] of candidatesOf(event))
      candidates.set(index, grown(candidates.get(index), { ...candidate, index }))
  }
  if (candidates.size === 0) return whole
  const ordered = [...candidates]
    .sort(([left], [right]) => left - right)
    .map(([, candidate]) => finished(candidate))
  return { candidates: ordered, ...whole }
}

/** Parts are joined once, at the end, because a long stream has thousands of them. */
function grown(before: JsonObject | undefined, candidate: JsonObject): JsonObject {
  const content = isObject(candidate.content) ? candidate.content : {}
  const known = isObject(before?.content) ? before.content : { parts: [], role: 'model' }
  const parts = Array.isArray(known.parts) ? known.parts : []
  if (Array.isArray(content.parts)) for (const part of content.parts) parts.push(part)
  return { ...before, ...candidate, content: { ...known, ...content, parts } }
}

function finished(candidate: JsonObject): JsonObject {
  const { content } = candidate
  if (!isObject(content) || !Array.isArray(content.parts)) return candidate
  return { ...candidate, content: { ...content, parts: joinTexts(content.parts) } }
}

/** Joins consecutive texts, and consecutive thoughts. A signature ends a joined part. */
function joinTexts(parts: readonly Json[]): Json[] {
  const joined: Json[] = []
  let texts: JsonObject[] = []
  const end = () => {
    if (texts.length > 0) joined.push(joinedText(texts))
    texts = []
  }
  for (const part of parts) {
    if (!isObject(part) || onlyText(part) === null) {
      end()
      joined.push(part)
      continue
    }
    const [first] = texts
    if (first !== undefined && (first.thought === true) !== (part.thought === true)) end()
    texts.push(part)
    if (part.thoughtSignature !== undefined) end()
  }
  end()
  return joined.length > 1 ? joined.filter((part) => !isBlank(part)) : joined
}

const joinedText = (parts: readonly JsonObject[]): JsonObject => ({
  ...parts[0],
  ...parts[parts.length - 1],
  text: parts.map(onlyText).join(''),
})

/** The text of a part that contains only text and possibly a signature; null for other parts. */
function onlyText(part: JsonObject): string | null {
  const { text, thought: _, thoughtSignature: __, ...others } = part
  return typeof text === 'string' && Object.keys(others).length === 0 ? text : null
}

const isBlank = (part: Json): boolean =>
  isObject(part) && part.text === '' && part.thoughtSignature === undefined && onlyText(part) !== null

/** Splits an answer into its parts, followed by the finish reasons and the usage. Returns nothing for other bodies. */
export function disassembleContent(body: JsonObject): JsonObject[] {
  const { candidates, usageMetadata, promptFeedback, ...rest } = body
  if (!Array.isArray(candidates)) return promptFeedback === undefined ? [] : [body]
  const given = candidates.filter(isObject)
  const spoken = given.filter(
    ({ content }) => isObject(content) && Array.isArray(content.parts) && content.parts.length > 0,
  )
  const begun = spoken.map(
    ({ content, index }): JsonObject => ({ content, ...(index === undefined ? {} : { index }) }),
  )
  const ends = given.map((candidate): JsonObject => ({ ...candidate, content: blankContent }))
  return [
    ...(begun.length === 0 ? [] : [{ candidates: begun, ...rest }]),
    {
      candidates: ends,
      ...(promptFeedback === undefined ? {} : { promptFeedback }),
      ...(usageMetadata === undefined ? {} : { usageMetadata }),
      ...rest,
    },
  ]
}

/** Clients discard a turn in which an event has no content. */
export const blankContent: JsonObject = { parts: [{ text: '' }], role: 'model' }
