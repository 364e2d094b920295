/**
 * Versions of objects: etags for readers, `If-Match` for writers, and writes that overtake each other. A strong etag is
 * the stored version, then a digest of the answer. A condition on a write compares only the version, because computed
 * members of an answer (current usage) are not changes. Errors: `precondition_failed`, `conflict`.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  GatewayError,
  isGatewayError,
  type Json,
  type ServiceAnswer,
  type ServiceRequest,
} from '@gateway/contract'
import type { Call } from './call.ts'

function etagOf(version: number, body: Json): string {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 16)
  return `"${version}-${digest}"`
}

const tagsOf = (header: string) => header.split(',').map((tag) => tag.trim())

/** The `param` of the error for a failed `If-Match`. Only this version conflict is reported to the caller. */
const ifMatchParam = 'header/if-match'

/** Throws `precondition_failed` when `If-Match` names another version. */
export function checkIfMatch({ headers }: Pick<ServiceRequest, 'headers'>, version: number): void {
  const wanted = headers['if-match']
  if (wanted === undefined || wanted.trim() === '*') return
  if (tagsOf(wanted).some((tag) => tag.startsWith(`"${version}-`))) return
  throw new GatewayError(
    'precondition_failed',
    'The object has changed since you read it. Read it again and repeat the change.',
    {
      param: ifMatchParam,
    },
  )
}

/** Answers one object with its etag, or 304 without a body when the caller already has this version. */
export function answerOne(
  request: Pick<ServiceRequest, 'headers' | 'method'>,
  version: number,
  body: Json,
): ServiceAnswer {
  const etag = etagOf(version, body)
  const known = request.method === 'GET' ? request.headers['if-none-match'] : undefined
  if (known !== undefined && tagsOf(known).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)) {
    return { status: 304, headers: { etag }, body: { text: '' } }
  }
  return { status: 200, headers: { etag }, body }
}

const maxTries = 20
/** The longest wait before an attempt. Waits are random so that two colliding writers do not collide again. */
const longestWaitMs = 40

/**
 * Restarts a write that a concurrent write has overtaken, from the current state: the last write wins. With `If-Match`
 * the next attempt compares the version again; other documents written in the same commit (a count, a default) do not
 * affect that version. Errors: `conflict` when every attempt is overtaken.
 */
export async function untilUncontested<Result>(
  call: Call,
  title: string,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const isOvertaken =
        isGatewayError(error) && error.code === 'precondition_failed' && error.param !== ifMatchParam
      if (!isOvertaken) throw error
      if (attempt === maxTries) {
        throw new GatewayError(
          'conflict',
          `This ${title} is being changed by other requests. Send the request again.`,
        )
      }
      // Data read before is outdated.
      call.memory.clear()
      await wait(Math.random() * Math.min(longestWaitMs, 2 * attempt))
    }
  }
}
