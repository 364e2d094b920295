/** Weak etags, which are also in `meta.version`: https://www.rfc-editor.org/rfc/rfc7644#section-3.14 */
import { GatewayError, type JsonObject, type ServiceAnswer } from '@gateway/contract'
import type { Call } from '@gateway/control-plane/engine'
import { noContent, scimAnswer } from './route.ts'

export const versionOf = (version: number): string => `W/"${version}"`

const tagsOf = (header: string) => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))

/** Throws `precondition_failed` when `If-Match` names another version. */
export function checkVersion({ request }: Pick<Call, 'request'>, version: number): void {
  const wanted = request.headers['if-match']
  if (wanted === undefined || wanted.trim() === '*') return
  if (tagsOf(wanted).includes(`"${version}"`)) return
  throw new GatewayError(
    'precondition_failed',
    'The resource has changed since you read it. Read it again and repeat the change.',
    {
      param: 'header/if-match',
    },
  )
}

/** One resource with its etag, or 304 when the caller already has this version. */
export function answerResource(
  { request }: Pick<Call, 'request'>,
  version: number,
  { resource, status = 200 }: { resource: JsonObject; status?: number },
): ServiceAnswer {
  const etag = versionOf(version)
  const known = request.method === 'GET' ? request.headers['if-none-match'] : undefined
  if (known !== undefined && tagsOf(known).some((tag) => tag === '*' || tag === `"${version}"`)) {
    return { ...noContent({ etag }), status: 304 }
  }
  const location = status === 201 ? locationHeader(resource) : {}
  return scimAnswer(resource, status, { etag, ...location })
}

function locationHeader({ meta }: JsonObject): Record<string, string> {
  const location = (meta as JsonObject | undefined)?.location
  return typeof location === 'string' ? { location } : {}
}
