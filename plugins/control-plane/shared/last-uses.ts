/** When keys and sessions were last used. */

import { kinds } from '@gateway/domain'
import type { Viewer } from '../engine/index.ts'

const idsAtOnce = 100

export async function lastUses(ids: readonly string[], call: Viewer): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const part = ids.slice(start, start + idsAtOnce)
    const { documents } = await call.documents.list(kinds.use, { ids: part }, { offset: 0, limit: idsAtOnce })
    for (const { id, data } of documents) found.set(id, data.last_used_at)
  }
  return found
}
