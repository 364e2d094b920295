/** Commits writes that no caller requested (a job, for example) together with their audit record. */
import type { DocumentWrite, ServiceContext, StoredDocument } from '@gateway/contract'
import { type AuditNote, type AuditSource, auditWrite, eventsOf } from '@gateway/domain'

interface CommitAsSystemOptions {
  writes: readonly DocumentWrite[]
  note: AuditNote
  status?: number
}

export async function commitAsSystem(
  context: ServiceContext<'documents' | 'now'>,
  organisationId: string,
  { writes, note, status = 200 }: CommitAsSystemOptions,
): Promise<StoredDocument[]> {
  const source: AuditSource = {
    request: null,
    identity: null,
    organisationId,
    nowMs: context.now(),
    status,
    sent: null,
  }
  const events = eventsOf({ organisationId, nowMs: source.nowMs, writes, note })
  const stored = await context.documents.commit([...writes, ...events, auditWrite(source, note)])
  return stored.slice(0, -1 - events.length)
}
