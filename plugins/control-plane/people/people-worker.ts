/** Runs every minute in one process: marks expired invites and removes sessions that have expired. */
import type { DocumentWrite, Job, ServiceContext } from '@gateway/contract'
import { kinds, typedDocuments } from '@gateway/domain'
import { expireInvite, inviteStatus } from './invite-data.ts'
import { sessionMs } from './session-data.ts'

const batch = 200

export function createPeopleWorker(context: ServiceContext<'documents' | 'now'>): Job {
  return {
    name: 'people',
    intervalMs: 60_000,
    async run(nowMs) {
      await expireInvites(context, nowMs)
      await removeSessions(context, nowMs)
    },
  }
}

async function expireInvites(context: ServiceContext<'documents' | 'now'>, nowMs: number): Promise<void> {
  const { documents } = await typedDocuments(context.documents).list(
    kinds.invite,
    { statuses: ['pending'] },
    { sort: 'created_at', order: 'asc', offset: 0, limit: batch },
  )
  for (const found of documents) {
    if (inviteStatus(found, nowMs) === 'expired') {
      await expireInvite(context, found, nowMs)
    }
  }
}

/** No session outlives its maximum lifetime. Ended ones stay for the same time, for the list of archived sessions. */
async function removeSessions(context: ServiceContext<'documents'>, nowMs: number): Promise<void> {
  const { documents } = await context.documents.list(
    kinds.session,
    { created_to: nowMs - sessionMs },
    { sort: 'created_at', order: 'asc', offset: 0, limit: batch },
  )
  if (documents.length === 0) return
  await context.documents.commit(
    documents.flatMap(({ id }): DocumentWrite[] => [
      { op: 'remove', kind: kinds.session, id },
      { op: 'remove', kind: kinds.use, id },
    ]),
  )
}
