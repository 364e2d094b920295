/**
 * Records a reload of the config file in the audit log, as an action of the system (management contract, section 21).
 */

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ServiceContext } from '@gateway/contract'
import { firstOrganisationId } from '@gateway/domain'
import { commitAsSystem } from '../engine/index.ts'

/** Processes that share a file reload it within this time of each other; the audit log has one record for all. */
const togetherMs = 10_000

/** Recorded for the first organisation, whose owners run the gateway, with the file's hash and none of its text. */
export async function recordReload(
  context: ServiceContext<'documents' | 'filePath' | 'now' | 'shared'>,
  isApplied: boolean,
): Promise<void> {
  const file_sha256 = hash('sha256', await readFile(context.filePath))
  const lease = `config-reload:${isApplied}:${file_sha256}`
  if (!(await context.shared.acquire(lease, togetherMs))) return
  const note = { action: 'reload', resource_type: 'config-file', resource_id: null, details: { file_sha256 } }
  await commitAsSystem(context, firstOrganisationId, { writes: [], note, status: isApplied ? 200 : 400 })
}
