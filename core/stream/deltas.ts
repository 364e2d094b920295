/** The text that a streamed chunk adds, and where it belongs in the whole answer. */
import { isObject, type Json, type JsonObject } from '../contract/index.ts'

export interface Delta {
  /** JSON pointer into the whole answer: `/choices/0/message/content`. */
  path: string
  text: string
}

/** What a chunk of a chat or a text completion adds: the texts that `checks/text.ts` gathers of a whole answer. */
export function textDeltas(chunk: JsonObject): Delta[] {
  const choices = Array.isArray(chunk.choices) ? chunk.choices : []
  return choices.flatMap((choice) => (isObject(choice) ? choiceDeltas(choice) : []))
}

function choiceDeltas(choice: JsonObject): Delta[] {
  const at = `/choices/${typeof choice.index === 'number' ? choice.index : 0}`
  const deltas: Delta[] = []
  const add = (path: string, text: Json | undefined) => {
    if (typeof text === 'string' && text !== '') deltas.push({ path: at + path, text })
  }
  add('/text', choice.text)
  const { delta } = choice
  if (!isObject(delta)) return deltas
  for (const member of ['content', 'refusal', 'reasoning_content'] as const)
    add(`/message/${member}`, delta[member])
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
  return deltas
}

/** The parts of a list that grows over several chunks, each with the place that it says it has. */
export function indexed(list: Json | undefined): [index: number, part: JsonObject][] {
  return (Array.isArray(list) ? list : []).flatMap((part, position): [number, JsonObject][] =>
    isObject(part) ? [[typeof part.index === 'number' ? part.index : position, part]] : [],
  )
}
