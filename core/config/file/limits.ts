/** The limits that the config file declares: of keys, workspaces, stored credentials and policies. */
import type { StoredDocument } from '@gateway/contract'
import { isOfKind, kinds } from '../../domain/index.ts'
import { createLimitTable, type LimitTable } from '../../metering/limits/limit-table.ts'

/** @param documents all that the file declares */
export function fileLimits(documents: readonly StoredDocument[]): LimitTable {
  const of = <Kind extends string>(kind: Kind) => documents.filter((document) => isOfKind(document, kind))
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
