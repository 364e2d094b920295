/**
 * The WebSocket form of `/v1/responses`: each message `{"type": "response.create", …}` is a create request, whose
 * events are returned as messages, one response after another. Every message is authenticated and limited like a
 * separate request. Responses with `store: false` can be continued on the same socket, also those that are only prepared (`generate:
 * false`). Reference: https://platform.openai.com/docs/guides/websocket-mode
 */
import {
  describeJsonFault,
  GatewayError,
  type InferenceAnswer,
  isGatewayError,
  isObject,
  type JsonObject,
  parseJson,
  renderError,
} from '@gateway/contract'
import { createResponse, prepareResponse } from '../../endpoints/index.ts'
import { Canceller, Exchange, type Received, type Run, type Stores } from '../../flow/index.ts'
import { claimOf, collectOwnHeaders } from '../../headers/index.ts'
import { closeCodes, RequestBuffers, SessionClosed, type SocketMessages } from '../../shared/index.ts'
import { parseEvents, sliceEvents } from '../../streaming/index.ts'
import { checkAccess } from '../../tenancy/index.ts'
import { InProcessTransport } from '../in-process/transport.ts'
import type { ServerRuntime } from '../server-runtime.ts'
import { createSocketResponses } from './socket-responses.ts'
import { headersOf, openClient, refuse, type Upgrading } from './socket-transport.ts'

interface Client extends Upgrading {
  clientIp: string
  leaving: Canceller
  /** The memory of the socket. */
  buffers: RequestBuffers
}

const path = '/v1/responses'

export const isResponsesPath = (url: string): boolean => /^(?:\/v1)?\/responses\/?(?:\?|$)/.test(url)

export async function serveResponses(
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
    refuse(
      client.socket,
      error.status,
      { ...error.headers, 'content-type': 'application/json' },
      JSON.stringify(renderError(error)),
    )
    return
  }
  const { messages, socket } = await openClient(client, {})
  socket.once('close', (code: number) =>
    client.leaving.abort(new SessionClosed('client_closed_request', 'The client disconnected.', code)),
  )
  for (;;) {
    const text = await nextWithin(messages, client, runtime.current.settings.streamIdleTimeoutMs)
    if (text === null || isEnding(client)) {
      messages.close(isEnding(client) ? closeCodes.goingAway : closeCodes.normal, '')
      return
    }
    const body = readCreate(text)
    if (typeof body === 'string')
      await messages.send(errorMessage(400, new GatewayError('invalid_body', body, { param: '/' })))
    else
      await respond(runtime, run, { client, headers, body, messages, stores }).catch((error: unknown) =>
        brokeOff(error, client, messages),
      )
  }
}

/** A response that ended because the client has left, or because the gateway's grace period is over. */
async function brokeOff(error: unknown, { leaving }: Client, messages: SocketMessages): Promise<void> {
  if (!leaving.aborted) throw error
  if (isGatewayError(leaving.reason)) await messages.send(errorMessage(leaving.reason.status, leaving.reason))
}

/** Whether the gateway stops, or the client has left. */
const isEnding = ({ leaving, stopping }: Client): boolean => leaving.aborted || stopping.aborted

/** Null when the client was silent for too long or has disconnected, and when the gateway stops. */
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

/** The body of a create request, or the error of the message. */
function readCreate(text: string): JsonObject | string {
  const message = parseJson(text)
  if (message === undefined) return `The message ${describeJsonFault(text)}.`
  if (!isObject(message)) return 'A message must be a JSON object.'
  const { type, response, ...body } = message as JsonObject
  if (type !== 'response.create') return '/type: must be response.create'
  return { ...(isObject(response) ? response : {}), ...body, stream: true }
}

function callerOf(runtime: ServerRuntime, { request, clientIp }: Client) {
  const headers = headersOf(request)
  const own = collectOwnHeaders(headers, runtime.current.settings.headerPrefixes)
  const claim = { method: 'POST', path, search: '', headers, clientIp }
  return runtime.identities.find(claimOf(claim, own))
}

interface Asked {
  client: Client
  headers: ReturnType<typeof headersOf>
  body: JsonObject
  messages: SocketMessages
  stores: Stores
}

/** Providers without a WebSocket API do not define `generate`. */
async function respond(runtime: ServerRuntime, run: Run<Received, void>, asked: Asked): Promise<void> {
  const { generate, ...body } = asked.body
  return generate === false ? prepare(runtime, { ...asked, body }) : answer(runtime, run, { ...asked, body })
}

/** Answers a message that asks for no output. */
async function prepare(runtime: ServerRuntime, { client, body, messages, stores }: Asked): Promise<void> {
  try {
    const { identity } = await callerOf(runtime, client)
    checkAccess(createResponse, identity)
    const history = { workspace: identity.workspaceId, store: stores.responses, sealer: runtime.sealer }
    const response = await prepareResponse(body, history)
    const begun = { ...response, status: 'in_progress', completed_at: null, usage: null }
    await messages.send(event('response.created', 0, begun))
    await messages.send(event('response.completed', 1, response))
  } catch (error) {
    if (!isGatewayError(error)) throw error
    await messages.send(errorMessage(error.status, error))
  }
}

const event = (type: string, sequence_number: number, response: JsonObject): string =>
  JSON.stringify({ type, sequence_number, response })

async function answer(
  runtime: ServerRuntime,
  run: Run<Received, void>,
  { client, headers, body, messages, stores }: Asked,
): Promise<void> {
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
        return run(new Exchange({ stores, workspace: settings, transport, leaving, traceId: null }))
      }
      answering().catch(reject)
    })
    await pass(answered, messages)
  } finally {
    client.leaving.forget(leave)
    buffers.release()
  }
}

async function pass({ status, text, stream }: InferenceAnswer, messages: SocketMessages): Promise<void> {
  if (stream === null) {
    const body = parseJson(text ?? '')
    const error = isObject(body) ? body.error : null
    await messages.send(JSON.stringify(status < 400 ? body : { type: 'error', status, error }))
    return
  }
  for await (const bytes of stream) {
    for (const event of sliceEvents(Buffer.from(bytes)))
      for (const { data } of parseEvents(event)) if (data !== '[DONE]') await messages.send(data)
  }
}

const errorMessage = (status: number, fault: GatewayError): string =>
  JSON.stringify({ type: 'error', status, ...renderError(fault) })
