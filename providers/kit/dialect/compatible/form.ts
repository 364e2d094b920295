/**
 * Requests of the compatible format as a form: lists as `name[]`, members as `name[key]`, and the caller's files
 * under their own names, or `name[]` for several.
 * Reference: https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
import { type EncodedBody, isObject, type Json, type JsonObject, type UploadedFile } from '@gateway/contract'
import { type FormFields, multipart } from '../../multipart.ts'

/** The body and its files as `multipart/form-data`. */
export function encodeForm(body: JsonObject, files: readonly UploadedFile[]): EncodedBody {
  const named = files.map((file) => {
    const isList = files.filter(({ field }) => field === file.field).length > 1
    return isList ? { ...file, field: `${file.field}[]` } : file
  })
  return multipart(fieldsOf(body), named)
}

function fieldsOf(body: JsonObject): FormFields {
  return Object.fromEntries(Object.entries(body).flatMap(([name, value]) => fieldOf(name, value)))
}

function fieldOf(name: string, value: Json | undefined): [string, string | string[]][] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return [[`${name}[]`, value.map(textOf)]]
  if (!isObject(value)) return [[name, String(value)]]
  return Object.entries(value).flatMap(([key, member]) => fieldOf(`${name}[${key}]`, member))
}

/** Values nested deeper than forms support are sent as JSON. */
const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
