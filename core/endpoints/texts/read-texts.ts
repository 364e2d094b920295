/**
 * Building blocks for the text readers of endpoints. A text is named by its JSON pointer
 * (https://www.rfc-editor.org/rfc/rfc6901). Images, token arrays and embeddings are not text.
 */
import { isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import type { TextReader } from '../../flow/endpoint.ts'

/** Adds a string. */
export function addText(value: Json | undefined, role: string, path: string, parts: TextPart[]): void {
  if (typeof value === 'string') parts.push({ role, text: value, path })
}

/** Adds a string, or the texts of a list of strings and of objects that hold a text. */
export function addTexts(value: Json | undefined, role: string, path: string, parts: TextPart[]): void {
  addText(value, role, path, parts)
  if (!Array.isArray(value)) return
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string') addText(item, role, `${path}/${index}`, parts)
    else if (isObject(item))
      for (const member of ['text', 'refusal', 'thinking'] as const)
        addText(item[member], role, `${path}/${index}/${member}`, parts)
  }
}

export function eachObject(list: Json | undefined, visit: (item: JsonObject, index: number) => void): void {
  if (!Array.isArray(list)) return
  for (const [index, item] of list.entries()) if (isObject(item)) visit(item, index)
}

/** The texts of a prompt, which is all that a request says. */
export const promptText: TextReader = (body, parts) => addText(body.prompt, 'prompt', '/prompt', parts)

/** The texts of an input. */
export const inputTexts: TextReader = (body, parts) => addTexts(body.input, 'input', '/input', parts)
