/** The audit log: one record in the commit of each write, for each refused write, and for automatic actions. */
import { randomUUID } from 'node:crypto'
import type { DocumentWrite, Identity, JsonObject, ServiceRequest } from '@gateway/contract'
import { kinds } from '../entities/kinds.ts'
import { hidden } from '../secrets/mask.ts'
import { redact } from '../secrets/redact.ts'
import { changesOf } from './changes.ts'

/** The audit entry of a write. */
export interface AuditNote {
  /** `create`, `update`, `delete`, `rotate`, `reset`, `login`, … */
  action: string
  resource_type: string
  resource_id: string | null
  workspace_id?: string | null
  /** Before and after, as answers show them; equal members are omitted, secrets must not be included. */
  before?: JsonObject | null
  after?: JsonObject | null
  /** The actor, when there is no credential (sign-in). */
  user_id?: string | null
  user_type?: 'user' | 'api_key' | 'scim' | 'system'
  /** Further facts: `rotation_mode`. */
  details?: JsonObject
}

/** The request of an audit entry. */
export interface AuditSource {
  request: Pick<ServiceRequest, 'method' | 'path' | 'query' | 'traceId' | 'clientIp'> | null
  identity: Identity | null
  organisationId: string
  nowMs: number
  status: number
  sent: JsonObject | null
}

/** Larger bodies are not stored. */
const maxBodyChars = 65_536

type UserType = NonNullable<AuditNote['user_type']>

function whoOf(identity: Identity | null, note: AuditNote): { user_id: string | null; user_type: UserType } {
  const type: UserType =
    identity === null
      ? 'system'
      : identity.type === 'scim'
        ? 'scim'
        : identity.userId !== null && identity.keyId === null
          ? 'user'
          : 'api_key'
  const id =
    identity === null ? null : identity.type === 'admin' ? 'admin' : (identity.keyId ?? identity.userId)
  return { user_id: note.user_id ?? id, user_type: note.user_type ?? type }
}

/** The record as a write; quiet, because it does not affect requests. */
export function auditWrite(source: AuditSource, note: AuditNote): DocumentWrite {
  const { request, nowMs, status } = source
  const { user_id, user_type } = whoOf(source.identity, note)
  const data: JsonObject = {
    method: request?.method ?? null,
    uri: request?.path ?? null,
    request_id: request?.traceId ?? null,
    action: note.action,
    resource_type: note.resource_type,
    resource_id: note.resource_id,
    user_id,
    user_type,
    changes: changesOf(clean(note.before), clean(note.after)),
    request_body: bodyOf(source.sent),
    query_params: redact(request === null ? null : { ...request.query }),
    response_status_code: status,
    client_ip: request?.clientIp ?? null,
    ...(note.details === undefined ? {} : { details: note.details }),
  }
  return {
    op: 'put',
    isQuiet: true,
    document: {
      kind: kinds.audit,
      id: randomUUID(),
      organisation_id: source.organisationId,
      workspace_id: note.workspace_id ?? null,
      slug: null,
      name: null,
      status: 'active',
      created_at: nowMs,
      last_updated_at: nowMs,
      keys: [],
      attributes: attributesOf(data),
      data,
    },
  }
}

/** Members of the record that lists are filtered by. */
export const auditFilters = [
  ...['method', 'uri', 'request_id', 'user_id', 'user_type'],
  ...['response_status_code', 'resource_type', 'resource_id', 'action', 'client_ip'],
] as const

function attributesOf(data: JsonObject): Record<string, string[]> {
  return Object.fromEntries(
    auditFilters.flatMap((name) => {
      const value = data[name] ?? null
      return value === null ? [] : [[name, [String(value)]]]
    }),
  )
}

const clean = (value: JsonObject | null | undefined): JsonObject => {
  if (value === null || value === undefined) return {}
  // An object stays one.
  const { last_updated_at: _, ...rest } = redact(value) as JsonObject
  return rest
}

function bodyOf(sent: JsonObject | null) {
  if (sent === null) return null
  // Measured before redaction, which is slower.
  return JSON.stringify(sent).length > maxBodyChars ? hidden : redact(sent)
}
