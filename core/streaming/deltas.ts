/** The text that a chunk of the compatible format adds, and where it belongs in the whole answer. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Delta } from '../flow/stream-format.ts'

/** What a chunk of a chat or a text completion adds: the texts that `checks/text.ts` gathers of a whole answer. */
export function textDeltas(chunk: JsonObject): Delta[] {
  const deltas: Delta[] = []
  if (!Array.isArray(chunk.choices)) return deltas
  for (const choice of chunk.choices) if (isObject(choice)) addChoice(choice, deltas)
  return deltas
}

function addChoice(choice: JsonObject, deltas: Delta[]): void {
  const at = `/choices/${typeof choice.index === 'number' ? choice.index : 0}`
  const add = (path: string, text: Json | undefined) => {
    if (typeof text === 'string' && text !== '') deltas.push({ path: at + path, text })
  }
  add('/text', choice.text)
  const { delta } = choice
  if (!isObject(delta)) return
  for (const member of ['content', 'refusal', 'reasoning_content', 'reasoning'] as const)
    add(`/message/${member}`, delta[member])
  if (isObject(delta.audio)) add('/message/audio/transcript', delta.audio.transcript)
  if (isObject(delta.function_call)) add('/message/function_call/arguments', delta.function_call.arguments)
  for (const [index, call] of indexed(delta.tool_calls)) {
    const path = `/message/tool_calls/${index}`
    if (isObject(call.function)) add(`${path}/function/arguments`, call.function.arguments)
    if (isObject(call.custom)) add(`${path}/custom/input`, call.custom.input)
  }
  for (const [index, block] of indexed(delta.content_blocks)) {
    for (const member of ['text', 'thinking'] as const)
      add(`/message/content_blocks/${index}/${member}`, block[member])
  }
}

/** The parts of a list that grows over several chunks, each with the place that it says it has. */
export function indexed(list: Json | undefined): [index: number, part: JsonObject][] {
  const parts: [number, JsonObject][] = []
  if (!Array.isArray(list)) return parts
  for (const [position, part] of list.entries())
    if (isObject(part)) parts.push([typeof part.index === 'number' ? part.index : position, part])
  return parts
}
