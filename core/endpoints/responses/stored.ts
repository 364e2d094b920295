/**
 * Shared by the endpoints for stored responses: the gateway answers for those it has stored, and forwards others to the
 * provider. Errors: 404 `not_found`, also for other workspaces' responses.
 */
import type { JsonObject } from '@gateway/contract'
import type { Answer, Authenticated, KeptResponse, Routed, Run } from '../../flow/index.ts'
import { unknownResponse } from './request.ts'

export const findKept = (exchange: Authenticated, id: string): Promise<KeptResponse | null> =>
  exchange.stores.responses.find(exchange.identity.workspaceId, id)

/** Providers without the endpoint store nothing, and a request without a provider cannot be forwarded. */
const nobody = ['no_provider', 'unsupported_endpoint']

export async function askProvider(
  exchange: Routed,
  run: Run<Routed>,
  id: string,
  query: JsonObject,
): Promise<Answer> {
  exchange.body = { response_id: id, ...query }
  const answer = await run(exchange)
  const code = answer.fault?.code
  if (code !== undefined && nobody.includes(code)) throw unknownResponse(id, 'path/response_id')
  return answer
}
