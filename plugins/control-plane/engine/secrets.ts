/** Secrets of documents: stored encrypted, masked in answers, hidden in the audit log. */
import { isObject, type JsonObject, type Sealer, type StoredDocument } from '@gateway/contract'
import { hidden, isMasked, mask, recordOf } from '@gateway/domain'
import type { DraftOf, Resource } from './resource.ts'

/** The decrypted secret fields of a document. */
export function openSecrets(
  document: Pick<StoredDocument<object>, 'kind' | 'id' | 'data'>,
  sealer: Pick<Sealer, 'open'>,
): JsonObject {
  const { data } = document
  const sealed = 'sealed' in data ? data.sealed : null
  if (typeof sealed !== 'string') return {}
  const opened: unknown = JSON.parse(sealer.open(sealed, recordOf(document)))
  return isObject(opened) ? opened : {}
}

/** Encrypts secrets together for storage. Returns null without secrets. */
export const sealTogether = (
  secrets: JsonObject,
  document: Pick<StoredDocument, 'kind' | 'id'>,
  sealer: Pick<Sealer, 'seal'>,
): string | null =>
  Object.keys(secrets).length === 0 ? null : sealer.seal(JSON.stringify(secrets), recordOf(document))

/** Fields of a resource that the engine encrypts. */
function secretFields({ fields }: Pick<Resource, 'fields'>): string[] {
  return Object.entries(fields).flatMap(([name, { secret }]) => (secret === true ? [name] : []))
}

/**
 * Writes the given secrets into the draft: encrypted together, with one mask each. Null removes one; a mask changes
 * nothing.
 */
export function sealSecrets(
  resource: Resource,
  draft: DraftOf<JsonObject>,
  { body, sealer }: { body: JsonObject; sealer: Sealer },
): void {
  const { data } = draft
  const given = secretFields(resource).filter((name) => body[name] !== undefined && !isMasked(body[name]))
  if (given.length === 0) return
  const secrets = openSecrets(draft, sealer)
  for (const name of given) {
    const value = body[name] ?? null
    if (value === null) delete secrets[name]
    else secrets[name] = value
    data[`masked_${name}`] = typeof value === 'string' ? mask(value) : value === null ? null : hidden
  }
  data.sealed = sealTogether(secrets, draft, sealer)
}
