/**
 * Answers the routes of dialects for stored responses: the gateway answers for those it has stored, and forwards others to
 * the provider. Errors: 404 `not_found`, also for other workspaces' responses.
 */
import { GatewayError, type JsonObject } from '@gateway/contract'
import type { DialectRoute, KeptResponse } from '@gateway/contract/dialect'
import {
  type Answer,
  type Authenticated,
  changeInput,
  createAnswer,
  type Routed,
  type Run,
} from '@gateway/flow'
import { frameStream } from '@gateway/streaming'
import type { EndpointRoute } from '../declare-endpoint.ts'

type Serve = NonNullable<Exclude<EndpointRoute, { pipeline: 'config' }>['serve']>
type StoredResponseRoute = Extract<DialectRoute, { serves: 'stored-response' }>
type StoredResponseRemovalRoute = Extract<DialectRoute, { serves: 'stored-response-removal' }>

export const serveStored =
  (read: StoredResponseRoute['read']): Serve =>
  async (exchange, { id = '' }, { run }) => {
    const { members, render } = read(exchange.transport.query)
    const kept = await findKept(exchange, id)
    if (kept === null) return askProvider(exchange, run, { id, query: members })
    const answer = render(kept)
    return 'events' in answer
      ? createAnswer({ stream: frameStream(answer.events, exchange.endpoint.format) })
      : createAnswer({ body: answer.body })
  }

export const removeStored =
  (render: StoredResponseRemovalRoute['render']): Serve =>
  async (exchange, { id = '' }, { run }) => {
    const { responses } = exchange.request.stores
    const kept = await findKept(exchange, id)
    if (kept !== null) {
      await responses.forget(exchange.caller.identity.workspaceId, id)
      return createAnswer({ body: render(id) })
    }
    const answer = await askProvider(exchange, run, { id, query: {} })
    if (answer.status >= 200 && answer.status <= 299) await responses.forgetOwner(id)
    return answer
  }

const findKept = (exchange: Authenticated, id: string): Promise<KeptResponse | null> =>
  exchange.request.stores.responses.find(exchange.caller.identity.workspaceId, id)

/** Providers without the endpoint store nothing, and a request without a provider cannot be forwarded. */
const nobody = ['no_provider', 'unsupported_endpoint']

async function askProvider(
  exchange: Routed,
  run: Run<Routed>,
  { id, query }: { id: string; query: JsonObject },
): Promise<Answer> {
  changeInput(exchange, { body: { response_id: id, ...query } })
  const answer = await run(exchange)
  const code = answer.fault?.code
  if (code !== undefined && nobody.includes(code)) throw unknownResponse(id, 'path/response_id')
  return answer
}

/** 404 for a response that the gateway has not stored. */
export function unknownResponse(id: string, param: string): GatewayError {
  return new GatewayError('not_found', `No response has the id "${id.slice(0, 100)}".`, { param })
}
