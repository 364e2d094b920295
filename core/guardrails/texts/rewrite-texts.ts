/**
 * Writes texts back into a body, each at its JSON pointer (https://www.rfc-editor.org/rfc/rfc6901). A tool's input may
 * be an object, which is read as its JSON and must stay an object.
 */
import { isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'

/** A new text that cannot replace the old one. */
export class UnfitText extends Error {}

/**
 * Returns a body with the texts at these pointers replaced; everything else is shared with the old one. A tool's input
 * read as JSON is parsed back.
 * @throws Error when a pointer does not lead to a text; UnfitText for a text not allowed
 * there
 */
export function rewriteTexts(body: JsonObject, texts: ReadonlyMap<string, string>): JsonObject {
  const { body: rewritten, unfit } = rewriteFitting(body, texts)
  if (unfit !== null) throw unfit
  return rewritten
}

/**
 * The same as {@link rewriteTexts}, but texts that cannot be replaced stay unchanged; `unfit` is the first of them.
 * @throws Error when a pointer does not lead to a text
 */
export function rewriteFitting(
  body: JsonObject,
  texts: ReadonlyMap<string, string>,
): { body: JsonObject; unfit: UnfitText | null } {
  const ours = new Set<object>()
  let result: Json = body
  let unfit: UnfitText | null = null
  for (const [path, text] of texts) {
    try {
      result = replaceAt(result, parsePointer(path), { depth: 0, text, ours })
    } catch (error) {
      if (!(error instanceof UnfitText)) throw error
      unfit ??= error
    }
  }
  if (!isObject(result)) throw new Error('the body itself is not a text')
  return { body: result, unfit }
}

interface ReplaceAtOptions {
  depth: number
  text: string
  ours: Set<object>
}

/** `ours` contains the copies made so far, which may be mutated. */
function replaceAt(node: Json, keys: string[], { depth, text, ours }: ReplaceAtOptions): Json {
  const key = keys[depth]
  if (key === undefined) return replaceText(node, keys, text)
  if (!holds(node, key)) throw noText(keys)
  const child = node[key]
  const replacement = replaceAt(child ?? null, keys, { depth: depth + 1, text, ours })
  if (replacement === child) return node
  const copy = ours.has(node) ? node : copyOf(node)
  ours.add(copy)
  copy[key] = replacement
  return copy
}

function replaceText(node: Json, keys: string[], text: string): Json {
  if (typeof node === 'string') {
    if (isReadByTool(keys) && isObject(parseJson(node)) && !isObject(parseJson(text))) throw unfit(keys)
    return text
  }
  const isInput = inputs.has(keys[keys.length - 1] ?? '')
  if (!isInput || typeof node !== 'object' || node === null) throw noText(keys)
  if (JSON.stringify(node) === text) return node
  const input = parseJson(text)
  if (!isObject(input)) throw unfit(keys)
  return input
}

/** Members that are read as their JSON. */
const inputs: ReadonlySet<string> = new Set(['input', 'args'])

/** The arguments of a call, and a tool's input; a top-level `/input` is user text. */
function isReadByTool(keys: readonly string[]): boolean {
  const last = keys[keys.length - 1]
  return last === 'arguments' || (last === 'input' && keys.length > 1)
}

const unfit = (keys: string[]) => new UnfitText(`The text at ${pointer(keys)} must stay a JSON object.`)

const noText = (keys: string[]) => new Error(`there is no text at ${pointer(keys)}`)

/** Array indexes may be strings: `"0"` works like 0. */
type Container = { [key: string]: Json | undefined }

function holds(node: Json, key: string): node is Container {
  return typeof node === 'object' && node !== null && key !== '__proto__' && Object.hasOwn(node, key)
}

function copyOf(node: Container): Container {
  return Array.isArray(node) ? Object.assign([], node) : { ...node }
}

/** Writes a JSON pointer. */
export function pointer(keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * Reads a JSON pointer.
 * @throws Error for a text that is not a JSON pointer
 */
export function parsePointer(path: string): string[] {
  if (path === '') return []
  if (!path.startsWith('/') || /~(?![01])/.test(path)) throw new Error(`"${path}" is not a JSON pointer`)
  return path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
