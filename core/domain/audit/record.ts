/** The audit log: one record in the commit of each write, for each refused write, and for automatic actions. */
import {
  type DocumentWrite,
  type Fault,
  type GatewayError,
  type Identity,
  isObject,
  type Json,
  type JsonObject,
  type ServiceRequest,
} from '@gateway/contract'
import { kinds } from '../entities/kinds.ts'
import { hidden } from '../secrets/mask.ts'
import { hideMembers, redact } from '../secrets/redact.ts'
import { timeOrderedId } from '../time-ordered-id.ts'
import { keyInMessage } from '../unknown-name.ts'
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
  /** The actor, for actions without a credential (sign-in). */
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
  /** The body as sent; only an object is recorded. */
  sent: unknown
  /** The reason why the request was refused, and all errors of its body. Values under unknown keys are hidden. */
  refusal?: Refusal
}

interface Refusal {
  error: GatewayError
  faults: readonly Fault[]
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
    request_body: bodyOf(source),
    query_params: redact(withoutUnknown(request === null ? null : { ...request.query }, source.refusal)),
    response_status_code: status,
    client_ip: request?.clientIp ?? null,
    ...(note.details === undefined ? {} : { details: note.details }),
  }
  return {
    op: 'put',
    isQuiet: true,
    document: {
      kind: kinds.audit,
      id: timeOrderedId(nowMs),
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
  // Redaction of an object returns an object.
  const { last_updated_at: _, ...rest } = redact(value) as JsonObject
  return rest
}

function bodyOf({ sent, refusal }: AuditSource): Json {
  if (!isObject(sent)) return null
  // Measured before redaction, which is slower.
  const length = JSON.stringify(sent).length
  if (length > maxBodyChars) return hidden
  if (refusal === undefined) return redact(sent)
  const isListed = length <= maxListedChars && refusal.faults.length < mostFaults
  return isListed || isValid(refusal) ? redact(withoutUnknown(sent, refusal)) : hidden
}

/** For a larger body, or one with more errors, not every unknown key is reported. */
const maxListedChars = 10_000
const mostFaults = 100

const isValid = ({ error, faults }: Refusal) => error.status !== 400 && faults.length === 0

/** Members whose keys only another schema knows: that of a provider or a secret manager. */
const openMembers: ReadonlySet<string> = new Set(['configurations', 'auth_config'])

/** A misspelt key can hide a secret, so its value is masked. */
function withoutUnknown(value: JsonObject | null, refusal: Refusal | undefined): Json {
  if (value === null || refusal === undefined) return value
  const { error, faults } = refusal
  const messages = [error.message, ...[...(error.details ?? []), ...faults].map(({ message }) => message)]
  const keys = messages.flatMap((message) => keyInMessage(message) ?? [])
  return hideMembers(value, (name) => openMembers.has(name) || keys.some((key) => isReported(name, key)))
}

/** A message contains the beginning of a long key. */
const isReported = (name: string, key: string) => name === key || (key.length >= 100 && name.startsWith(key))
