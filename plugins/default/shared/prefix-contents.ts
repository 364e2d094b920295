/**
 * Inserts a text before contents of the Gemini format: the system's text is in `systemInstruction`, the model's role is
 * `model`. Functions' results are in contents that have nothing else from the user.
 * Reference: https://ai.google.dev/api/caching#Content
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { isEmptyText, type Prefixed, type Prefixing } from './prefix-messages.ts'

/** A new request with the prefix. */
export function prefixContents(json: JsonObject, options: Prefixing): Prefixed {
  if (options.applyToRole === 'system' || options.applyToRole === 'developer')
    return prefixSystem(json, options)
  const { contents: given } = json
  if (!Array.isArray(given)) return { json, changed: 0 }
  const role = options.applyToRole === 'assistant' ? 'model' : options.applyToRole
  const contents = prefixed(given, role, options)
  const old = new Set(given)
  const changed = contents.filter((content) => !old.has(content)).length
  return changed === 0 ? { json, changed } : { json: { ...json, contents }, changed }
}

function prefixSystem(json: JsonObject, options: Prefixing): Prefixed {
  const system = isObject(json.systemInstruction) ? json.systemInstruction : { parts: [] }
  const now = prefixContent(system, options)
  return now === system ? { json, changed: 0 } : { json: { ...json, systemInstruction: now }, changed: 1 }
}

function prefixed(contents: Json[], role: string, options: Prefixing): Json[] {
  const isOf = (content: Json): content is JsonObject =>
    isObject(content) && (content.role ?? 'user') === role
  const made = { role, parts: [{ text: options.prefix }] }
  if (!contents.some(isOf)) return [...contents, made]
  if (options.addToExisting)
    return contents.map((content) =>
      isOf(content) && !isResult(content) ? prefixContent(content, options) : content,
    )
  const isSilent = contents.every((content) => !isOf(content) || isEmpty(content))
  return options.onlyIfEmpty && !isSilent ? contents : contents.toSpliced(contents.findIndex(isOf), 0, made)
}

/** The first text gets the prefix; a content without text gets a new one. */
function prefixContent(content: JsonObject, { prefix, addToExisting, onlyIfEmpty }: Prefixing): JsonObject {
  const parts = Array.isArray(content.parts) ? content.parts : []
  if (onlyIfEmpty && !isEmpty(content)) return content
  const first = parts.findIndex((part) => isObject(part) && typeof part.text === 'string')
  if (first < 0 || !(addToExisting || isEmpty(content)))
    return { ...content, parts: [{ text: prefix }, ...parts] }
  return {
    ...content,
    parts: parts.map((part, index) =>
      index === first && isObject(part) ? { ...part, text: `${prefix}${String(part.text)}` } : part,
    ),
  }
}

const partsOf = ({ parts }: JsonObject): JsonObject[] => (Array.isArray(parts) ? parts.filter(isObject) : [])

const isEmpty = (content: JsonObject): boolean =>
  partsOf(content).every(
    ({ text, inlineData, fileData }) =>
      inlineData === undefined && fileData === undefined && isEmptyText(text ?? ''),
  )

const isResult = (content: JsonObject): boolean =>
  partsOf(content).some((part) => part.functionResponse !== undefined) &&
  !partsOf(content).some((part) => typeof part.text === 'string')
