/**
 * A WebSocket whose messages are requests of an endpoint, such as `/v1/responses`. The events of each answer are sent
 * as messages, one answer after another. Every message is authenticated and limited like a separate request. Responses
 * with `store: false`, including those that are only prepared, can be continued on the same socket.
 */
import {
  describeJsonFault,
  GatewayError,
  type InferenceAnswer,
  isGatewayError,
  isObject,
  parseJson,
  renderError,
} from '@gateway/contract'
import type { RequestSocket, SocketRequest } from '@gateway/contract/dialect'
import {
  Canceller,
  claimOf,
  collectOwnHeaders,
  createExchange,
  type Endpoint,
  type Received,
  RequestBuffers,
  type Run,
  type Stores,
} from '@gateway/flow'
import { parseEvents, sliceEvents } from '@gateway/streaming'
import { closeCodes, SessionClosed, type SocketMessages } from '@gateway/upstream'
import { checkBody } from '../../endpoints/index.ts'
import { checkAccess } from '../../tenancy/index.ts'
import { InProcessTransport } from '../in-process/transport.ts'
import type { ServerRuntime } from '../server-runtime.ts'
import { createSocketResponses } from './socket-responses.ts'
import { headersOf, openClient, refuse, type Upgrading } from './socket-transport.ts'

/** An endpoint, and the protocol of its WebSocket. */
export interface SocketEndpoint {
  endpoint: Endpoint
  protocol: RequestSocket
  /** The path of the requests. */
  path: string
}

/** The endpoints with such a WebSocket, by the WebSocket's path. */
export const socketEndpoints = (endpoints: readonly Endpoint[]): ReadonlyMap<string, SocketEndpoint> =>
  new Map(
    endpoints.flatMap((endpoint) => {
      const protocol = endpoint.requestSocket
      if (protocol === null) return []
      const [path = ''] = protocol.paths
      return protocol.paths.map((each) => [each, { endpoint, protocol, path }] as const)
    }),
  )

interface Client extends Upgrading {
  clientIp: string
  leaving: Canceller
  /** The memory of the socket. */
  buffers: RequestBuffers
  served: SocketEndpoint
}

export async function serveRequests(
  runtime: ServerRuntime,
  run: Run<Received, void>,
  client: Client,
): Promise<void> {
  const responses = createSocketResponses(runtime.stores.responses, client.buffers)
  const stores: Stores = { ...runtime.stores, responses }
  const headers = headersOf(client.request)
  try {
    await callerOf(runtime, client)
  } catch (error) {
    if (!isGatewayError(error)) throw error
    refuse(client.socket, error.status, {
      headers: { ...error.headers, 'content-type': 'application/json' },
      body: JSON.stringify(renderError(error)),
    })
    return
  }
  const { messages, socket } = await openClient(client, {})
  socket.once('close', (code: number) =>
    client.leaving.abort(new SessionClosed('client_closed_request', 'The client disconnected.', code)),
  )
  for (;;) {
    const text = await nextWithin(
      messages,
      client,
      runtime.current.settings.file.server.stream_idle_timeout_ms,
    )
    if (text === null || isEnding(client)) {
      messages.close(isEnding(client) ? closeCodes.goingAway : closeCodes.normal, '')
      return
    }
    const asked = readRequest(text, client.served.protocol)
    if (isGatewayError(asked)) await messages.send(errorMessage(client, asked))
    else
      await respond(runtime, run, { client, headers, asked, messages, stores }).catch((error: unknown) =>
        brokeOff(error, client, messages),
      )
  }
}

/** Handles a response that ended because the client has disconnected or the gateway's grace period is over. */
async function brokeOff(error: unknown, client: Client, messages: SocketMessages): Promise<void> {
  const { leaving } = client
  if (!leaving.aborted) throw error
  if (isGatewayError(leaving.reason)) await messages.send(errorMessage(client, leaving.reason))
}

/** Whether the gateway is stopping or the client has disconnected. */
const isEnding = ({ leaving, stopping }: Client): boolean => leaving.aborted || stopping.aborted

/** Returns null if the client was silent for too long or has disconnected, and if the gateway stops. */
async function nextWithin(
  messages: SocketMessages,
  { stopping }: Client,
  idleMs: number,
): Promise<string | null> {
  if (stopping.aborted) return null
  let end: () => void = () => undefined
  const late = new Promise<null>((resolve) => {
    end = () => resolve(null)
  })
  const clock = setTimeout(end, idleMs)
  stopping.listen(end)
  return Promise.race([messages.next(), late]).finally(() => {
    clearTimeout(clock)
    stopping.forget(end)
  })
}

/** Returns the request of a message, or its error. */
function readRequest(text: string, protocol: RequestSocket): SocketRequest | GatewayError {
  const message = parseJson(text)
  if (message === undefined) return invalidMessage(`The message ${describeJsonFault(text)}.`)
  if (!isObject(message)) return invalidMessage('A message must be a JSON object.')
  try {
    return protocol.read(message)
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return error
  }
}

const invalidMessage = (message: string) => new GatewayError('invalid_body', message, { param: '/' })

function callerOf(runtime: ServerRuntime, { request, clientIp, served: { path } }: Client) {
  const headers = headersOf(request)
  const own = collectOwnHeaders(headers, runtime.current.settings.file.server.header_prefixes)
  const claim = { method: 'POST', path, search: '', headers, clientIp }
  return runtime.identities.find(claimOf(claim, own))
}

interface Asked {
  client: Client
  headers: ReturnType<typeof headersOf>
  asked: SocketRequest
  messages: SocketMessages
  stores: Stores
}

const respond = (runtime: ServerRuntime, run: Run<Received, void>, given: Asked): Promise<void> =>
  given.asked.isPrepared ? prepare(runtime, given) : answer(runtime, run, given)

/** Answers a message that asks for no output. */
async function prepare(
  runtime: ServerRuntime,
  { client, asked: { body }, messages, stores }: Asked,
): Promise<void> {
  const { endpoint, protocol } = client.served
  const { responses: store } = stores
  try {
    const { identity } = await callerOf(runtime, client)
    checkAccess(endpoint, identity)
    checkBody(endpoint, body, JSON.stringify(body).length)
    const workspace = identity.workspaceId
    const prepared = await protocol.prepare(body, { workspace, store, sealer: runtime.sealer })
    store.keepUnstored?.(workspace, prepared.kept)
    for (const message of prepared.messages) await messages.send(JSON.stringify(message))
  } catch (error) {
    if (!isGatewayError(error)) throw error
    await messages.send(errorMessage(client, error))
  }
}

async function answer(
  runtime: ServerRuntime,
  run: Run<Received, void>,
  { client, headers, asked: { body }, messages, stores }: Asked,
): Promise<void> {
  const { path, protocol } = client.served
  const buffers = new RequestBuffers(runtime.buffers)
  const leaving = new Canceller()
  const leave = () => leaving.abort(client.leaving.reason)
  client.leaving.listen(leave)
  try {
    const answered = await new Promise<InferenceAnswer>((resolve, reject) => {
      const transport = new InProcessTransport({
        method: 'POST',
        url: path,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        raw: null,
        clientIp: client.clientIp,
        caller: () => callerOf(runtime, client),
        origin: {},
        buffers,
        leaving,
        answered: resolve,
      })
      const answering = async () => {
        const { settings } = runtime.current
        return run(createExchange({ stores, workspace: settings, transport, leaving, traceId: null }))
      }
      answering().catch(reject)
    })
    await pass(answered, messages, protocol)
  } finally {
    client.leaving.forget(leave)
    buffers.release()
  }
}

async function pass(
  { status, text, stream }: InferenceAnswer,
  messages: SocketMessages,
  protocol: RequestSocket,
): Promise<void> {
  if (stream === null) {
    const body = parseJson(text ?? '')
    const error = isObject(body) ? body.error : null
    await messages.send(JSON.stringify(status < 400 ? body : protocol.writeError(status, { error })))
    return
  }
  for await (const bytes of stream) {
    for (const event of sliceEvents(Buffer.from(bytes)))
      for (const { data } of parseEvents(event)) if (data !== '[DONE]') await messages.send(data)
  }
}

const errorMessage = ({ served: { protocol } }: Client, fault: GatewayError): string =>
  JSON.stringify(protocol.writeError(fault.status, renderError(fault)))
