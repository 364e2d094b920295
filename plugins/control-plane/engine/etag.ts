/**
 * Strong etags of single objects: the stored version, then a digest of the answer. A condition on a write compares only
 * the version, because computed members of an answer (current usage) are not changes.
 */
import { createHash } from 'node:crypto'
import { GatewayError, type Json, type ServiceAnswer, type ServiceRequest } from '@gateway/contract'

function etagOf(version: number, body: Json): string {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 16)
  return `"${version}-${digest}"`
}

const tagsOf = (header: string) => header.split(',').map((tag) => tag.trim())

/** The `param` of the error for a failed `If-Match`. Only this version conflict is reported to the caller. */
export const ifMatchParam = 'header/if-match'

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
