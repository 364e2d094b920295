/**
 * `Idempotency-Key` on POST: the first call's answer is stored encrypted for 24 hours per credential and replayed to
 * the same method, path and body. Errors: `invalid_header`, `conflict` (different body, or the first call still
 * running).
 */
import { createHash } from 'node:crypto'
import {
  type DocumentDraft,
  GatewayError,
  isGatewayError,
  isObject,
  type Json,
  type JsonObject,
  renderError,
  type ServiceAnswer,
  type StoredDocument,
} from '@gateway/contract'
import { derivedId, kinds, recordOf } from '@gateway/domain'
import type { Call } from './call.ts'
import { conflict } from './errors.ts'

export const idempotencyMs = 86_400_000
/** A call that has not ended after this time is considered lost: its process has ended. */
const maxRunningMs = 300_000
const param = 'header/idempotency-key'
const printable = /^[\x20-\x7e]{1,255}$/

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Runs a POST once per key. Without the header it runs every time. */
export async function withIdempotency(call: Call, run: () => Promise<ServiceAnswer>): Promise<ServiceAnswer> {
  const { request, documents, identity, organisationId, nowMs, context } = call
  const key = request.headers['idempotency-key']
  // Without a credential the answer belongs to no caller.
  if (key === undefined || request.method !== 'POST' || request.identity === null) return run()
  if (!printable.test(key)) {
    throw new GatewayError('invalid_header', 'idempotency-key must be 1 to 255 printable characters.', {
      param,
    })
  }
  const credential = [identity.type, identity.keyId, identity.userId, organisationId].join(' ')
  const id = derivedId(`${credential}\n${key}`)
  const content = digest(JSON.stringify([request.method, request.path, request.query, call.sent ?? null]))
  const present = await documents.get(kinds.idempotency, id)
  if (present !== null && nowMs - present.created_at < lifeOf(present.status)) {
    return replay(call, present, content)
  }
  const draft = (status: string, data: JsonObject): DocumentDraft => ({
    kind: kinds.idempotency,
    id,
    organisation_id: organisationId,
    workspace_id: null,
    slug: null,
    name: null,
    status,
    created_at: nowMs,
    last_updated_at: nowMs,
    keys: [],
    attributes: {},
    data,
  })
  await claim(call, draft('running', { content }), present?.version ?? 0)
  const keep = (status: number, body: Json, headers: Readonly<Record<string, string>>) =>
    documents.commit([
      {
        op: 'put',
        isQuiet: true,
        document: draft('done', {
          content,
          sealed: context.sealer.seal(
            JSON.stringify({ status, body, headers }),
            recordOf({ kind: kinds.idempotency, id }),
          ),
        }),
      },
    ])
  try {
    const answer = await run()
    await keep(answer.status, answer.body as Json, answer.headers ?? {})
    return answer
  } catch (error) {
    // Client errors are final; internal errors may be retried.
    if (isGatewayError(error) && error.status < 500) await keep(error.status, renderError(error), {})
    else if (!call.hasWritten) await documents.commit([{ op: 'remove', kind: kinds.idempotency, id }])
    throw error
  }
}

const lifeOf = (status: string) => (status === 'running' ? maxRunningMs : idempotencyMs)

async function claim(call: Call, document: DocumentDraft, expected: number): Promise<void> {
  try {
    await call.documents.commit([{ op: 'put', isQuiet: true, document, expected }])
  } catch (error) {
    if (isGatewayError(error) && (error.code === 'precondition_failed' || error.code === 'conflict')) {
      throw conflict(
        'The first request with this idempotency key is still running. Repeat this request later.',
        param,
      )
    }
    throw error
  }
}

function replay(call: Call, present: StoredDocument, content: string): ServiceAnswer {
  const { data, status } = present
  if (data.content !== content) {
    throw conflict('This idempotency key was used for a different request. Send a new key.', param)
  }
  if (status === 'running')
    throw conflict(
      'The first request with this idempotency key is still running. Repeat this request later.',
      param,
    )
  const kept: unknown = JSON.parse(call.context.sealer.open(String(data.sealed), recordOf(present)))
  if (!isObject(kept) || typeof kept.status !== 'number') {
    throw new GatewayError(
      'internal_error',
      'The stored answer of this idempotency key cannot be decrypted. Send the request with a new key.',
    )
  }
  const headers = isObject(kept.headers) ? (kept.headers as Record<string, string>) : {}
  return {
    status: kept.status,
    headers: { ...headers, 'idempotent-replayed': 'true' },
    body: kept.body ?? null,
  }
}
