/**
 * Adds, replaces and removes API keys in the text of a config file. Comments and everything else are preserved;
 * variables are not substituted. A JSON file stays JSON.
 */
import { hash } from 'node:crypto'
import { unknownName } from '@gateway/domain'
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

export interface NewKey {
  name: string
  scopes: readonly string[]
  workspace: string
  /** ISO 8601. */
  expires_at?: string | undefined
}

/** A key as the config file stores it: `sha256:` and its hash in hexadecimal. */
export function keyHash(key: string): string {
  return `sha256:${hash('sha256', key)}`
}

/** Adds a key to the text. */
export function addKey(text: string, key: NewKey, hash: string): string {
  const document = parse(text)
  const keys = document.get('api_keys', true) as Node | null | undefined
  const { name, ...rest } = key
  if (named(keys, name).length > 0) throw new Error(`A key "${name}" already exists.`)
  const entry = document.createNode({ name, key_hash: hash, ...rest })
  if (isSeq(keys)) keys.add(entry)
  else if (keys === undefined || keys === null || isEmptyScalar(keys)) {
    if (document.contents === null) document.contents = document.createNode({})
    const list = document.createNode([entry])
    // Describes the value found in place of the list.
    list.commentBefore = keys?.commentBefore ?? keys?.comment ?? null
    document.set('api_keys', list)
  } else throw new Error('api_keys is not a list')
  return render(document, text)
}

/** Replaces the hash of the key with this name. */
export function replaceKey(text: string, name: string, hash: string): string {
  const { document, entry } = find(text, name)
  const old = entry.get('key_hash', true)
  const range = isScalar(old) ? old.range : undefined
  if (range === undefined || range === null) {
    entry.set('key_hash', hash)
    return render(document, text)
  }
  // The hash is replaced in place. Nothing else changes, not even whitespace.
  const quote = /^["']/.exec(text.slice(range[0]))?.[0] ?? (isJson(text) ? '"' : '')
  return text.slice(0, range[0]) + quote + hash + quote + text.slice(range[1])
}

/** Removes the key with this name. */
export function removeKey(text: string, name: string): string {
  const { document, keys, entry } = find(text, name)
  keys.items.splice(keys.items.indexOf(entry), 1)
  return render(document, text)
}

function find(text: string, name: string): { document: Document; keys: YAMLSeq; entry: YAMLMap } {
  const document = parse(text)
  const keys = document.get('api_keys')
  const entries = named(keys, name)
  const [entry] = entries
  if (!isSeq(keys) || entry === undefined) {
    const items = isSeq(keys) ? keys.items.filter((item) => isMap(item)) : []
    const known = items.flatMap((item) => String(item.get('name') ?? []))
    throw new Error(unknownName({ what: 'key', written: name, known }))
  }
  if (entries.length > 1)
    throw new Error(`${entries.length} keys are named "${name}": edit the file by hand.`)
  return { document, keys, entry }
}

function named(keys: unknown, name: string): YAMLMap[] {
  if (!isSeq(keys)) return []
  return keys.items.filter((item): item is YAMLMap => isMap(item) && item.get('name') === name)
}

function parse(text: string): Document {
  const document: Document = parseDocument(text, { prettyErrors: false })
  if (document.errors.length > 0) throw new Error('The file has errors: see `gateway check`.')
  if (document.contents !== null && !isMap(document.contents) && !isEmptyScalar(document.contents)) {
    throw new Error('The file is not a map.')
  }
  return document
}

const isEmptyScalar = (node: unknown) => isScalar(node) && node.value === null

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON has neither comments nor unquoted strings; YAML keeps its comments and long lines. */
function render(document: Document, text: string): string {
  if (isJson(text)) return `${JSON.stringify(document.toJS(), null, 2)}\n`
  return document.toString({ lineWidth: 0 })
}
