/**
 * Rotation on request (management contract, section 10): a new secret immediately; the old one works until its
 * transition ends.
 */

import { type DocumentDraft, type DocumentWrite, GatewayError, type JsonObject } from '@gateway/contract'
import { type AuditNote, limitOwners, type ManagedKeyData, recordOf, resetUsage } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import {
  type AnyResource,
  type Call,
  conflict,
  type DraftOf,
  type ExtraRoute,
  forbidden,
  hasOwnScopes,
  index,
  isFileDocument,
  isOfFile,
  notFound,
} from '../engine/index.ts'
import { lackedScope } from '../shared/index.ts'
import { type KeyDocument, keyResets, minTransitionMs, resetAt, statusOf, transitionEnd } from './data.ts'
import { periodMs } from './policy.ts'
import { rotateSecrets, withoutOldSecrets } from './secret.ts'

const maxTransitionMs = 31 * 86_400_000

const rotateBody: TSchema = Type.Object(
  {
    key_transition_period_ms: Type.Optional(
      Type.Integer({ minimum: minTransitionMs, maximum: maxTransitionMs }),
    ),
    reset_usage: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const keyAnswer = (more: Record<string, TSchema> = {}) =>
  Type.Object({ id: Type.String(), object: Type.Literal('api-key'), key: Type.String(), ...more })

interface ChangedKeyOptions {
  document: KeyDocument
  changed: Partial<ManagedKeyData>
  nowMs: number
}

/** A changed copy of a key's document with recomputed keys and attributes. */
export function changedKey(
  resource: () => AnyResource,
  { document, changed, nowMs }: ChangedKeyOptions,
): DocumentDraft {
  const { version: _, ...rest } = document
  const draft: DraftOf<JsonObject> = {
    ...rest,
    last_updated_at: Math.max(nowMs, document.last_updated_at),
    keys: [],
    attributes: {},
    data: { ...document.data, ...changed },
  }
  index(resource(), draft)
  return draft
}

interface CommitKeyOptions {
  document: KeyDocument
  changed: Partial<ManagedKeyData>
  note: Pick<AuditNote, 'action' | 'details'>
  also?: readonly DocumentWrite[]
}

function commitKey(
  resource: () => AnyResource,
  call: Call,
  { document, changed, note, also = [] }: CommitKeyOptions,
): Promise<unknown> {
  const draft = changedKey(resource, { document, changed, nowMs: call.nowMs })
  return call.commit([{ op: 'put', document: draft, expected: document.version }, ...also], {
    ...note,
    resource_type: 'api-key',
    resource_id: document.id,
    workspace_id: document.workspace_id,
  })
}

function checkWritable(call: Call, document: KeyDocument): void {
  if (isFileDocument(document)) throw isOfFile('API key', call.context.filePath)
}

async function rotate(
  resource: () => AnyResource,
  call: Call<'counters' | 'keyPrefix'>,
  document: KeyDocument,
): Promise<JsonObject> {
  checkWritable(call, document)
  const { data } = document
  const status = statusOf(document, call.nowMs)
  if (status === 'expired' || status === 'archived')
    throw conflict(`The API key is ${status} and cannot be rotated.`)
  if (transitionEnd(data, call.nowMs) !== null)
    throw conflict(
      'The previous rotation of this key is still in its transition period. End the transition first.',
    )
  const transitionMs = transitionOf(call.body, data)
  const { changed, text, endsAt } = rotateSecrets(data, {
    prefix: call.context.keyPrefix,
    nowMs: call.nowMs,
    transitionMs,
  })
  const isShown = (await whyHidden(call, document)) === null
  const unread = isShown
    ? null
    : { sealed: call.context.sealer.seal(text, recordOf(document)), until: endsAt }
  const reset = call.body.reset_usage === true ? resetAt(data, call.nowMs) : {}
  await commitKey(resource, call, {
    document,
    changed: { ...changed, unread, ...reset },
    note: {
      action: 'rotate',
      details: { rotation_mode: 'manual' },
    },
    also: call.body.reset_usage === true ? keyResets(document, call.nowMs) : [],
  })
  if (call.body.reset_usage === true) {
    await resetUsage(call.context.counters, limitOwners.apiKey(document.id), {
      limits: data,
      nowMs: call.nowMs,
    })
  }
  return {
    id: document.id,
    object: 'api-key',
    ...(isShown ? { key: text } : {}),
    key_transition_expires_at: endsAt,
  }
}

/** The reason why a key's secret is withheld from the caller; null if it is shown. */
async function whyHidden(call: Call, { data, workspace_id }: KeyDocument): Promise<string | null> {
  if (data.type === 'workspace-user') {
    if (data.user_id !== call.identity.userId) return "Only the owner of a user's key may see its secret."
    // In a session a user key has no more rights than its user.
    if (!hasOwnScopes(call.identity)) return null
  }
  const lacked = await lackedScope(call, data.type, { scopes: data.scopes, workspaceId: workspace_id })
  return lacked === null ? null : `The key has the scope ${lacked}, which you do not have.`
}

function transitionOf(body: JsonObject, { rotation_policy: policy }: ManagedKeyData): number {
  const given = body.key_transition_period_ms
  const transitionMs =
    typeof given === 'number' ? given : (policy?.key_transition_period_ms ?? minTransitionMs)
  const period = policy?.rotation_period ?? null
  if (period !== null && transitionMs >= periodMs(period)) {
    const param = '/key_transition_period_ms'
    throw new GatewayError('invalid_body', `${param}: must be shorter than the rotation period`, { param })
  }
  return transitionMs
}

async function endTransition(
  resource: () => AnyResource,
  call: Call,
  document: KeyDocument,
): Promise<JsonObject> {
  checkWritable(call, document)
  if (transitionEnd(document.data, call.nowMs) === null) throw notFound('path/id', 'running transition')
  await commitKey(resource, call, {
    document,
    changed: { secrets: withoutOldSecrets(document.data) },
    note: { action: 'delete' },
  })
  return { id: document.id, object: 'api-key', deleted: true }
}

async function reveal(resource: () => AnyResource, call: Call, document: KeyDocument): Promise<JsonObject> {
  const { unread } = document.data
  if (unread === null || unread === undefined || Date.parse(unread.until) <= call.nowMs) {
    throw notFound('path/id', 'unread secret')
  }
  const reason = await whyHidden(call, document)
  if (reason !== null) throw forbidden(reason, 'path/id')
  const key = call.context.sealer.open(unread.sealed, recordOf(document))
  await commitKey(resource, call, { document, changed: { unread: null }, note: { action: 'reveal' } })
  return { id: document.id, object: 'api-key', key }
}

/** @param resource the API key resource, which has these routes */
export const rotationRoutes = (
  resource: () => AnyResource,
): readonly ExtraRoute<ManagedKeyData, 'counters' | 'keyPrefix'>[] => [
  {
    method: 'POST',
    path: '/:id/rotate',
    operationId: 'apiKeyRotate',
    summary: 'Rotates the secret of an API key',
    description:
      'Gives the API key a new secret. The old secret works until the transition ends. The answer contains the new secret if the caller has all scopes of the key; for a user’s key, only if the caller is that user. Otherwise the owner fetches it later with reveal.',
    action: 'rotate',
    // An archived key gets an error that names its status.
    findsArchived: true,
    body: rotateBody,
    answer: keyAnswer({
      key: Type.Optional(Type.String({ description: 'Absent if the caller may not see it.' })),
      key_transition_expires_at: Type.String(),
    }),
    handle: (call, document) => rotate(resource, call, document),
  },
  {
    method: 'DELETE',
    path: '/:id/previous',
    operationId: 'apiKeyEndTransition',
    summary: 'Ends the transition of a rotated key: the old secret stops working',
    action: 'rotate',
    auditAction: 'delete',
    answer: Type.Object({ id: Type.String(), object: Type.Literal('api-key'), deleted: Type.Literal(true) }),
    handle: (call, document) => endTransition(resource, call, document),
  },
  {
    method: 'POST',
    path: '/:id/reveal',
    operationId: 'apiKeyReveal',
    summary: 'Returns a secret that was created for its owner, once',
    action: 'rotate',
    answer: keyAnswer(),
    handle: (call, document) => reveal(resource, call, document),
  },
]
