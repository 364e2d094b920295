/** The limits that the config file declares: of keys, workspaces, stored credentials and policies. */
import type { StoredDocument } from '@gateway/contract'
import { kinds } from '../../domain/index.ts'
import { createLimitTable, type LimitTable } from '../../metering/limits/limit-table.ts'

/** @param documents all that the file declares */
export function fileLimits(documents: readonly StoredDocument[]): LimitTable {
  const of = (kind: string) => documents.filter((document) => document.kind === kind)
  const sources = {
    organisationSlug: null,
    keys: of(kinds.apiKey),
    workspaces: of(kinds.workspace),
    // A credential of the file is its own integration.
    providers: of(kinds.provider).map((provider) => ({ provider, integration: null })),
    ratePolicies: of(kinds.rateLimitPolicy),
    usagePolicies: of(kinds.usageLimitPolicy),
  }
  return createLimitTable(sources)
}
