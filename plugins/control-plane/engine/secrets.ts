/** Secrets of documents: sealed at rest, masked in answers, hidden in the audit log. */
import { isObject, type Json, type JsonObject, type Sealer, type StoredDocument } from '@gateway/contract'
import type { Resource } from './resource.ts'

/** What stands for a secret where nothing of it may be shown. */
export const hidden = '****'

/** First three and last four characters; short secrets show nothing. */
export function mask(secret: string): string {
  return secret.length < 12 ? hidden : `${secret.slice(0, 3)}${hidden}${secret.slice(-4)}`
}

/** Whether a value is a mask that a caller sent back. */
export const isMasked = (value: unknown): boolean => typeof value === 'string' && value.includes(hidden)

/** The sealed fields of a document, in clear. */
export function openSecrets(document: Pick<StoredDocument, 'data'>, sealer: Sealer): JsonObject {
  const { sealed } = document.data
  if (typeof sealed !== 'string') return {}
  const opened: unknown = JSON.parse(sealer.open(sealed))
  return isObject(opened) ? opened : {}
}

/** Fields of a resource that the engine seals. */
export function secretFields({ fields }: Pick<Resource, 'fields'>): string[] {
  return Object.entries(fields).flatMap(([name, { secret }]) => (secret === true ? [name] : []))
}

/** Writes given secrets into the data: sealed together, with a mask each; null removes one, a mask changes nothing. */
export function sealSecrets(resource: Resource, data: JsonObject, body: JsonObject, sealer: Sealer): void {
  const given = secretFields(resource).filter((name) => body[name] !== undefined && !isMasked(body[name]))
  if (given.length === 0) return
  const secrets = openSecrets({ data }, sealer)
  for (const name of given) {
    const value = body[name] ?? null
    if (value === null) delete secrets[name]
    else secrets[name] = value
    data[`masked_${name}`] = typeof value === 'string' ? mask(value) : value === null ? null : hidden
  }
  data.sealed = Object.keys(secrets).length === 0 ? null : sealer.seal(JSON.stringify(secrets))
}

/** Member names that hold secrets wherever they stand. */
const secretName =
  /^(?:key|api_?key|apiKey|password|token|secret|sealed|authorization|cookie|credentials?|private_key|webhook_secret|client_secret|csrf_token|invite_link|.*(?:_|-)(?:secret|token|password|api_key|secret_access_key|service_account_json)|cloud[ABC]_.*(?:key|secret|token|json).*|.*service_account_json|.*client_secret|(?:aws|azure|vertex)_.*(?:secret|token|access_key_id|key).*)$/i

/** Members that look like it and are none. */
const plainName =
  /^(?:metadata_.*|.*_tokens?_(?:limit|count)|cache_read_.*|cache_write_.*|request_token|response_token|reasoning_token|prediction_.*_token|.*_input_token|secret_key|value_key)$/i

/** Members whose own members are all secret: header values. */
const secretMaps = /^(?:custom_headers|headers)$/i

/** A copy for the audit log: secrets by their names are hidden, and those that the resource declares. */
export function redact(value: Json | undefined, resource: Pick<Resource, 'fields'> | null = null): Json {
  const cleaned = hideSecrets(value ?? null)
  if (resource === null || !isObject(cleaned)) return cleaned
  for (const [name, { secret }] of Object.entries(resource.fields)) {
    const member = cleaned[name]
    if (secret === undefined || member === undefined || member === null) continue
    if (secret === true) cleaned[name] = hidden
    else if (isObject(member)) for (const inner of secret) if (inner in member) member[inner] = hidden
  }
  return cleaned
}

function hideSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(hideSecrets)
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    if (secretMaps.test(name) && isObject(member)) {
      copy[name] = Object.fromEntries(Object.keys(member).map((header) => [header, hidden]))
    } else if (typeof member === 'string' && secretName.test(name) && !plainName.test(name)) {
      copy[name] = isMasked(member) ? member : hidden
    } else copy[name] = hideSecrets(member)
  }
  return copy
}
