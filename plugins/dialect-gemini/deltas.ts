/**
 * The texts that a stream event adds. Events do not say where in the answer their parts belong. The text of a candidate
 * is therefore one text, its thoughts are another, and each call arrives whole.
 */
import { isObject, type JsonObject, type TextPart } from '@gateway/contract'
import { type Delta, eachObject } from '@gateway/contract/dialect'
import { readPart } from './texts.ts'

/** The texts of one event. */
export const contentDeltas = (event: JsonObject): Delta[] => deltasOf(event, (part) => part)

/** The model's output, without the content of signatures, which has already been written. */
export const writtenDeltas = (event: JsonObject): Delta[] =>
  deltasOf(event, ({ thoughtSignature: _, codeExecutionResult: __, ...part }) => part)

function deltasOf(event: JsonObject, pick: (part: JsonObject) => JsonObject): Delta[] {
  const deltas: Delta[] = []
  for (const [index, candidate] of candidatesOf(event)) {
    if (!isObject(candidate.content)) continue
    eachObject(candidate.content.parts, (part) => {
      const read: TextPart[] = []
      readPart(pick(part), {
        role: 'assistant',
        path: `/candidates/${index}/content/parts/${placeOf(part)}`,
        parts: read,
      })
      for (const { path, text } of read) if (text !== '') deltas.push({ path, text })
    })
  }
  return deltas
}

/** The candidates of an event or an answer, each with its index. */
export function candidatesOf({ candidates }: JsonObject): [index: number, candidate: JsonObject][] {
  const given = Array.isArray(candidates) ? candidates : []
  return given.flatMap((candidate, position): [number, JsonObject][] =>
    isObject(candidate)
      ? [[typeof candidate.index === 'number' ? candidate.index : position, candidate]]
      : [],
  )
}

/** The place of a part in a path. Text gets `0`, because it comes first in most answers. */
function placeOf(part: JsonObject): string {
  if (isObject(part.functionCall)) return `call ${String(part.functionCall.id ?? part.functionCall.name)}`
  if (part.thought === true) return 'thought'
  return typeof part.text === 'string' ? '0' : 'other'
}

/** Prefixes of the paths that an event completes. */
export function endedTexts(event: JsonObject): string[] {
  const { promptFeedback: feedback } = event
  if (isObject(feedback) && typeof feedback.blockReason === 'string') return ['/candidates/0/']
  return candidatesOf(event).flatMap(([index, { finishReason }]) =>
    typeof finishReason === 'string' && finishReason !== 'FINISH_REASON_UNSPECIFIED'
      ? [`/candidates/${index}/`]
      : [],
  )
}
