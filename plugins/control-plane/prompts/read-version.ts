/** Reads the content of a stored version, for requests that run it. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import { type TypedDocuments, type VersionData, type Versioned, versionKey } from '@gateway/domain'
import type { VersionKind } from './versions.ts'

interface ReadVersionOptions<Content extends JsonObject, Data extends Content & Versioned> {
  document: Pick<StoredDocument<Data>, 'id'>
  number: number
}

/** Null if the version does not exist. */
export async function readVersion<Content extends JsonObject, Data extends Content & Versioned>(
  documents: Pick<TypedDocuments, 'findByKey'>,
  { kind }: VersionKind<Content, Data>,
  { document: { id }, number }: ReadVersionOptions<Content, Data>,
): Promise<Content | null> {
  const found = await documents.findByKey(kind, versionKey(id, number))
  // Documents of these kinds are always written with the content of the kind.
  return found === null ? null : ((found.data as VersionData).content as Content)
}
