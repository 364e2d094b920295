/**
 * Versions of prompts and partials: created in the same commit as their prompt, found by number or id, never changed.
 */

import type { DocumentWrite, JsonObject, StoredDocument } from '@gateway/contract'
import type { VersionData, Versioned } from '@gateway/domain'
import { timeOrderedId } from '@gateway/domain'
import { type Call, type DraftOf, isFileDocument, isId, type Write } from '../engine/index.ts'
import { findVersion, versionWrite } from '../shared/index.ts'

/** A version, stored in its own document or in the prompt's. */
export interface FoundVersion<Content> {
  number: number
  id: string
  content: Content
  /** Milliseconds since the epoch. */
  created_at: number
  updated_by: string | null
}

/** How the versions of a kind of document are stored. */
export interface VersionKind<Content extends JsonObject, Data extends Content & Versioned> {
  kind: string
  contentOf(data: Data): Content
}

/** Makes the draft's content its next version. Returns its number. */
export function addVersion<Content extends JsonObject, Data extends Content & Versioned>(
  { kind, contentOf }: VersionKind<Content, Data>,
  { draft, before, call, also }: Pick<Write<Data>, 'draft' | 'before' | 'call' | 'also'>,
): number {
  const version = (before?.data.latest_version ?? 0) + 1
  const id = timeOrderedId(call.nowMs)
  draft.data.latest_version = version
  draft.data.version_id = id
  also.push(newVersionWrite(kind, { id, version, content: contentOf(draft.data) }, { draft, call }))
  return version
}

const newVersionWrite = (
  kind: string,
  version: { id: string; version: number; content: JsonObject },
  { draft, call }: { draft: DraftOf<unknown>; call: Call },
): DocumentWrite => versionWrite({ kind, ...version }, draft, call)

type Of<Data> = Pick<StoredDocument<Data>, 'id' | 'data' | 'last_updated_at' | 'created_at'>

/** Finds a version by number, or returns null. */
export async function versionByNumber<Content extends JsonObject, Data extends Content & Versioned>(
  { kind, contentOf }: VersionKind<Content, Data>,
  call: Call,
  { document, number }: { document: Of<Data>; number: number },
): Promise<FoundVersion<Content> | null> {
  const { data } = document
  if (isFileDocument({ data }))
    return number === data.latest_version ? fileVersion(document, contentOf) : null
  const found = await findVersion(call, { kind, documentId: document.id, version: number })
  return found === null ? null : toFound<Content>(found)
}

/** Objects of the config file have one version. */
export const fileVersion = <Content, Data extends Content & Versioned>(
  { data, created_at }: Of<Data>,
  contentOf: (data: Data) => Content,
): FoundVersion<Content> => ({
  number: data.latest_version,
  id: data.version_id,
  content: contentOf(data),
  created_at,
  updated_by: null,
})

/** Finds a version of this document by number or id. */
export async function versionByName<Content extends JsonObject, Data extends Content & Versioned>(
  versions: VersionKind<Content, Data>,
  call: Call,
  { document, name }: { document: Of<Data>; name: string },
): Promise<FoundVersion<Content> | null> {
  if (/^[1-9]\d{0,8}$/.test(name)) return versionByNumber(versions, call, { document, number: Number(name) })
  if (!isId(name)) return null
  if (isFileDocument(document)) {
    return name === document.data.version_id ? fileVersion(document, versions.contentOf) : null
  }
  const found = await call.documents.get(versions.kind, name)
  // Only `versionWrite` writes documents of this kind.
  const version = found as (StoredDocument & { data: JsonObject & VersionData }) | null
  return version?.data.of_id === document.id ? toFound<Content>(version) : null
}

export function toFound<Content extends JsonObject>({
  id,
  created_at,
  data,
}: StoredDocument & { data: VersionData }): FoundVersion<Content> {
  // Always written with the content of this kind.
  return {
    number: data.version,
    id,
    content: data.content as Content,
    created_at,
    updated_by: data.updated_by,
  }
}

/** The versions reachable without their number, with the partials that each includes. */
export function keepReachable(
  used: Versioned['used_partials'],
  reachable: readonly number[],
): Versioned['used_partials'] {
  return Object.fromEntries(
    [...new Set(reachable)].flatMap((number) => {
      const names = used[String(number)]
      return names === undefined ? [] : [[String(number), names]]
    }),
  )
}

/** The values of the attribute by which users of a partial are found. */
export const partialsOf = ({ used_partials }: Versioned): string[] => [
  ...new Set(Object.values(used_partials).flat()),
]
