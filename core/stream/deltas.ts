/** The text that a streamed chunk adds, and where it belongs in the whole answer. */
import { isObject, type Json, type JsonObject } from '../contract/index.ts'

export interface Delta {
  /** JSON pointer into the whole answer: `/choices/0/message/content`. */
  path: string
  text: string
}

/** What a chunk of a chat or a text completion adds: contents, refusals, and tool-call arguments. */
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
  add('/message/content', delta.content)
  add('/message/refusal', delta.refusal)
  if (isObject(delta.function_call)) add('/message/function_call/arguments', delta.function_call.arguments)
  for (const [position, call] of (Array.isArray(delta.tool_calls) ? delta.tool_calls : []).entries()) {
    if (!isObject(call) || !isObject(call.function)) continue
    const index = typeof call.index === 'number' ? call.index : position
    add(`/message/tool_calls/${index}/function/arguments`, call.function.arguments)
  }
  return deltas
}
