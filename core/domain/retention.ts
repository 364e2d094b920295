/** Log retention of organisations: `settings.retention`, which can shorten the config file's. */

import type { Documents, StoredDocument } from '@gateway/contract'
import { isObject } from '@gateway/contract'
import { kinds } from './entities/index.ts'

interface Retention {
  organisationId: string
  days: number
}

const organisationsAtOnce = 500

/** The retention of every organisation that sets one. */
export async function* eachRetention(
  documents: Pick<Documents, 'scan'>,
  member: 'logs_days' | 'metrics_days' | 'audit_days',
): AsyncGenerator<Retention> {
  let after: StoredDocument | null = null
  for (;;) {
    const page: StoredDocument[] = await documents.scan(kinds.organisation, after, organisationsAtOnce)
    for (const { id, data } of page) {
      const retention = isObject(data.settings) ? data.settings.retention : null
      const days = isObject(retention) ? retention[member] : null
      if (typeof days === 'number') yield { organisationId: id, days }
    }
    if (page.length < organisationsAtOnce) return
    after = page.at(-1) ?? null
  }
}
