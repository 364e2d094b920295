/** The documents of a rerank call: text or objects in the request, objects in the answer. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** The body with texts as documents; with `rank_fields`, those fields of each document, one per line. */
export function textDocuments(body: JsonObject): JsonObject {
  if (!Array.isArray(body.documents)) return body
  const { rank_fields: fields, ...rest } = body
  const names = Array.isArray(fields) ? fields.filter((field) => typeof field === 'string') : []
  return { ...rest, documents: body.documents.map((document) => rankedText(document, names)) }
}

function rankedText(document: Json, names: readonly string[]): string {
  const found = isObject(document) ? names.filter((name) => document[name] !== undefined) : []
  if (!isObject(document) || found.length === 0) return documentText(document)
  const lines = found.map((name) => [name, lineOf(document[name])] as const)
  const [only] = lines
  if (lines.length === 1 && only !== undefined) return only[1]
  return lines.map(([name, line]) => `${name}: ${line}`).join('\n')
}

const lineOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** The body with objects as documents, each with an id. */
export function withRecords(body: JsonObject): JsonObject {
  if (!Array.isArray(body.documents)) return body
  const documents = body.documents.map((document, index) => ({
    id: String(index),
    ...documentObject(document),
  }))
  return { ...body, documents }
}

/** A document as it is returned. */
export function documentObject(document: Json | undefined): JsonObject {
  return isObject(document) ? document : { text: documentText(document) }
}

/** A document's text; an object without a text is written as JSON. */
function documentText(document: Json | undefined): string {
  if (isObject(document)) return typeof document.text === 'string' ? document.text : JSON.stringify(document)
  return typeof document === 'string' ? document : ''
}
