/** Documents for tests. */
import { randomUUID } from 'node:crypto'
import type { DocumentDraft } from '@gateway/contract'

/** A document with what a test does not care about filled in; its kind is its test's own. */
export function draft(kind: string, given: Partial<DocumentDraft> = {}): DocumentDraft {
  return {
    kind,
    id: randomUUID(),
    organisation_id: 'org',
    workspace_id: 'ws',
    slug: null,
    name: null,
    status: 'active',
    created_at: 1000,
    last_updated_at: 1000,
    keys: [],
    attributes: {},
    data: {},
    ...given,
  }
}
