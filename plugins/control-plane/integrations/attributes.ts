/**
 * The attributes and keys of integrations. A separate file, for routes that write an integration outside the standard
 * routes.
 */

import type { DocumentDraft, StoredDocument } from '@gateway/contract'
import { type IntegrationData, slugKey } from '@gateway/domain'
import { tagAttributes } from '../shared/index.ts'
import { exceptionOf, usableBy } from './data.ts'

/** The attributes that lists filter by. */
export function integrationAttributes(
  document: StoredDocument<IntegrationData>,
): Record<string, readonly string[]> {
  const { data } = document
  const usable = usableBy(document)
  return {
    ai_provider_id: [data.ai_provider_id],
    type: [typeOf(document)],
    hidden: [String(data.is_hidden === true)],
    usable_by: usable,
    has_exceptions: [String(usable.includes(exceptionOf(document.id)))],
    secret_reference_id: [...new Set(data.secret_mappings.map((mapping) => mapping.secret_reference_id))],
    ...tagAttributes(data.tags),
  }
}

export const typeOf = ({ workspace_id: own }: { workspace_id: string | null }) =>
  own === null ? ('organisation' as const) : ('workspace' as const)

/** A live integration, ready to be written. */
export function indexIntegration(document: StoredDocument<IntegrationData>): DocumentDraft {
  const { version: _, ...draft } = document
  const { slug, organisation_id: organisationId } = document
  return {
    ...draft,
    keys: slug === null || organisationId === null ? [] : [slugKey(organisationId, slug)],
    attributes: integrationAttributes(document),
    data: document.data,
  }
}
