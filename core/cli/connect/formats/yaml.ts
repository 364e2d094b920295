/** Edits YAML and preserves its comments. A segment `[NAME]` is the item of a list with this `name`. */
import { type Document, isMap, isSeq, parseDocument } from 'yaml'
import type { Path, SettingsFormat } from './format.ts'

type Key = string | number

function documentOf(text: string): Document {
  const document = parseDocument(text)
  const [fault] = document.errors
  if (fault !== undefined) throw new Error(`is not valid YAML: ${fault.message.split('\n')[0]}`)
  return document
}

const itemName = (segment: string): string | null => /^\[(.+)\]$/.exec(segment)?.[1] ?? null

/** The path in the document; a list item that is missing is the one after the last. */
function resolve(document: Document, path: Path): Key[] {
  const keys: Key[] = []
  for (const segment of path) {
    const name = itemName(segment)
    const holder = name === null ? null : document.getIn(keys)
    if (name === null) keys.push(segment)
    else {
      const items = isSeq(holder) ? holder.items : []
      const index = items.findIndex((item) => isMap(item) && item.get('name') === name)
      keys.push(index === -1 ? items.length : index)
    }
  }
  return keys
}

const print = (document: Document) => document.toString({ lineWidth: 0 })

export const yaml: SettingsFormat = {
  raw: (value) => JSON.stringify(value),
  read(text, path) {
    const document = documentOf(text)
    const value: unknown = document.getIn(resolve(document, path))
    return value === undefined ? null : JSON.stringify(value)
  },
  write(text, path, raw) {
    const document = documentOf(text)
    const keys = resolve(document, path)
    const list = path.findIndex((segment) => itemName(segment) !== null)
    const at = keys.slice(0, list)
    if (list !== -1 && !isSeq(document.getIn(at))) document.setIn(at, document.createNode([]))
    document.setIn(keys, JSON.parse(raw))
    return print(document)
  },
  remove(text, path) {
    const document = documentOf(text)
    const keys = resolve(document, path)
    if (!document.hasIn(keys)) return text
    document.deleteIn(keys)
    for (let end = keys.length - 1; end > 0; end -= 1) {
      const holder = document.getIn(keys.slice(0, end))
      if ((isMap(holder) || isSeq(holder)) && holder.items.length === 0) document.deleteIn(keys.slice(0, end))
      else break
    }
    return isMap(document.contents) && document.contents.items.length === 0 ? '' : print(document)
  },
}
