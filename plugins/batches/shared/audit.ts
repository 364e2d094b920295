/** Audit records for files and batches. */
import type { DocumentWrite, EndpointRequest, JsonObject, ServiceContext } from '@gateway/contract'
import { auditWrite } from '@gateway/domain'
import { callerOf } from './caller.ts'

interface AuditEntry {
  action: 'create' | 'cancel' | 'delete'
  type: 'file' | 'batch' | 'fine_tuning_job'
  /** The id of the document. */
  id: string
  before?: JsonObject
  after?: JsonObject
}

export interface AuditLog {
  /** The audit record, to be committed together with the change. */
  write(request: EndpointRequest, entry: AuditEntry): DocumentWrite
}

export const createAuditLog = (context: ServiceContext<'now'>): AuditLog => ({
  write(request, { action, type, id, before, after }) {
    const { identity, organisationId, workspaceId } = callerOf(request)
    return auditWrite(
      { request, identity, organisationId, nowMs: context.now(), status: 200, sent: request.body },
      {
        action,
        resource_type: type,
        resource_id: id,
        workspace_id: workspaceId,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      },
    )
  },
})
