/** Documents for tests. */
import { randomUUID } from 'node:crypto'
import type { DocumentDraft } from '@gateway/contract'

/** A document with defaults for members that a test does not set; its kind is unique to its test. */
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
