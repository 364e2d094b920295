/** Work that a store needs once, after an upgrade: a marker in the store says that it was done. */
import type { DocumentDraft, Documents } from '@gateway/contract'
import { derivedId } from './derived-id.ts'
import { kinds } from './entities/index.ts'

/**
 * Does the work unless the store has the marker, and leaves it there. Two processes that start together may both do it.
 * @param name of the work; the marker is found by it, so it never changes
 * @returns what the work gave, or null where it was done before
 */
export async function migrateOnce<T>(
  documents: Documents,
  name: string,
  nowMs: number,
  work: () => Promise<T>,
): Promise<T | null> {
  const id = derivedId(`migration: ${name}`)
  if ((await documents.get(kinds.migration, id)) !== null) return null
  const done = await work()
  await documents.commit([{ op: 'put', isQuiet: true, document: marker(id, nowMs) }])
  return done
}

const marker = (id: string, nowMs: number): DocumentDraft => ({
  kind: kinds.migration,
  id,
  organisation_id: null,
  workspace_id: null,
  slug: null,
  name: null,
  status: 'active',
  created_at: nowMs,
  last_updated_at: nowMs,
  keys: [],
  attributes: {},
  data: {},
})
