/** One-time migrations of a store, recorded by a marker in the store. */
import type { DocumentDraft, Documents } from '@gateway/contract'
import { derivedId } from './derived-id.ts'
import { kinds } from './entities/index.ts'

/**
 * Runs the migration unless the store has its marker, then sets the marker. Two processes that start together may both
 * run it. @param name identifies the migration and must never change
 * @returns the result, or null if the migration was done before
 */
export async function migrateOnce<T>(
  documents: Documents,
  { name, nowMs }: { name: string; nowMs: number },
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
