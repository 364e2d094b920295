/**
 * A failed response, for failures that clients act on.
 * Reference: https://platform.openai.com/docs/api-reference/responses-streaming/response/failed
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { responseEvent } from './events.ts'
import { responsePrefix } from './items.ts'
import { responseObject } from './response-object.ts'

/**
 * The first and the last event of a failed response.
 * @param body the gateway's error, whose other members are also in the last event
 */
export function failureEvents(
  body: JsonObject,
  code: string | null,
  request: JsonObject,
): [JsonObject, JsonObject] {
  const { error, ...others } = body
  const { message = '' } = isObject(error) ? error : {}
  const parts = {
    id: responsePrefix + crypto.randomUUID().replaceAll('-', ''),
    createdAt: Math.floor(Date.now() / 1000),
    model: request.model,
    serviceTier: undefined,
    ending: null,
    output: [],
    usage: null,
  }
  const begun = responseObject(parts, { request, now: Date.now })
  const failed = { ...begun, status: 'failed', error: { code, message } }
  return [responseEvent('created', begun), { ...responseEvent('failed', failed), ...others }]
}
