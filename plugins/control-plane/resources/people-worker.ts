/** Once a minute, on one process: invites whose time is over are noted, sessions that ended by themselves are removed. */
import {
  type DocumentWrite,
  isGatewayError,
  type Job,
  kinds,
  type ServiceContext,
} from '@gateway/core/contract'
import { commitAsSystem } from '../engine/audit.ts'
import { type InviteDocument, inviteStatus } from './invite-data.ts'
import { sessionMs } from './session-data.ts'

const batch = 200

export function createPeopleWorker(context: ServiceContext): Job {
  return {
    name: 'people',
    intervalMs: 60_000,
    async run(nowMs) {
      await expireInvites(context, nowMs)
      await removeSessions(context, nowMs)
    },
  }
}

async function expireInvites(context: ServiceContext, nowMs: number): Promise<void> {
  const { documents } = await context.ports.documents.list(
    kinds.invite,
    { statuses: ['pending'] },
    { sort: 'created_at', order: 'asc' },
    { offset: 0, limit: batch },
  )
  for (const found of documents) {
    const invite = found as unknown as InviteDocument
    if (inviteStatus(invite, nowMs) !== 'expired') continue
    const { version, ...document } = found
    const write: DocumentWrite = {
      op: 'put',
      expected: version,
      document: { ...document, status: 'expired', keys: [], last_updated_at: nowMs },
    }
    try {
      await commitAsSystem(context, found.organisation_id ?? '', [write], {
        action: 'expire',
        resource_type: 'invite',
        resource_id: found.id,
      })
    } catch (error) {
      // Accepted, cancelled or sent again meanwhile.
      if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
    }
  }
}

/** No session outlives its longest life; ended ones are kept as long, for the list of archived ones. */
async function removeSessions({ ports }: ServiceContext, nowMs: number): Promise<void> {
  const { documents } = await ports.documents.list(
    kinds.session,
    { created_to: nowMs - sessionMs },
    { sort: 'created_at', order: 'asc' },
    { offset: 0, limit: batch },
  )
  if (documents.length === 0) return
  await ports.documents.commit(
    documents.flatMap(({ id }): DocumentWrite[] => [
      { op: 'remove', kind: kinds.session, id },
      { op: 'remove', kind: kinds.use, id },
    ]),
  )
}
