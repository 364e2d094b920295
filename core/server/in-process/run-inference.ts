/**
 * Runs an inference request of a service: an exchange like that of a connection, through the same stages. Errors are
 * its answer.
 */
import {
  GatewayError,
  type InferenceAnswer,
  type InferenceCall,
  type InferenceRequest,
} from '@gateway/contract'
import { Canceller } from '../../flow/cancellation.ts'
import { Exchange, type RequestOrigin, required, type Transport } from '../../flow/exchange.ts'
import type { Runtime } from '../../flow/runtime.ts'
import { RequestBuffers } from '../../shared/buffer-budget.ts'
import { recordApart } from './record-apart.ts'
import { InProcessTransport } from './transport.ts'

/** In the place of a request that a client sent. */
export function runInPlaceOf(exchange: Exchange, call: InferenceCall): Promise<InferenceAnswer> {
  const { runtime, transport, traceId, requestId } = exchange
  const leaving = new Canceller()
  const leave = () => leaving.abort(exchange.leaving.reason)
  exchange.isReplaced = true
  if (exchange.leaving.aborted) leave()
  exchange.leaving.listen(leave)
  return run(runtime, call, {
    headers: transport.headers,
    clientIp: transport.clientIp,
    caller: null,
    instead: exchange,
    origin: { ...call.origin, instead: { requestId, path: transport.path } },
    leaving,
    traceId,
    ended: () => exchange.leaving.forget(leave),
  })
}

/** Behind requests. */
export function runAlone(runtime: Runtime, request: InferenceRequest): Promise<InferenceAnswer> {
  const { headers, clientIp, identity, signal } = request
  const leaving = new Canceller()
  const leave = () => leaving.abort(new GatewayError('client_closed_request', 'The client disconnected.'))
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  const { provider, isExempt } = request
  return run(recordApart(runtime, request), request, {
    headers: lowerCased(headers),
    clientIp,
    caller: () => runtime.identities.findAgain(identity),
    origin: { ...request.origin, instead: null, provider, isExempt },
    leaving,
    traceId: null,
    instead: null,
    ended: () => signal.removeEventListener('abort', leave),
  })
}

interface Surroundings {
  headers: Transport['headers']
  clientIp: string
  caller: Transport['caller']
  origin: RequestOrigin
  leaving: Canceller
  traceId: string | null
  /** The request in whose place it runs. */
  instead: Exchange | null
  ended(): void
}

function run(runtime: Runtime, call: InferenceCall, around: Surroundings): Promise<InferenceAnswer> {
  const buffers = new RequestBuffers(runtime.buffers)
  const { headers, clientIp, caller, origin, leaving, traceId, instead } = around
  return new Promise((resolve, reject) => {
    const transport = new InProcessTransport({
      method: call.method ?? 'POST',
      url: call.path,
      headers: withBody(headers, call.raw?.contentType ?? jsonType),
      body: call.body,
      text: call.text,
      raw: call.raw?.bytes ?? null,
      clientIp,
      caller,
      origin,
      buffers,
      leaving,
      answered: resolve,
    })
    const exchange = new Exchange(runtime, transport, leaving, traceId)
    if (instead !== null) continueFrom(instead, exchange)
    runtime.runRequest(exchange).then(end, (error: unknown) => {
      end()
      reject(error)
    })
    function end(): void {
      buffers.release()
      around.ended()
    }
  })
}

/** Who calls, and what the headers say, was found out before; headers about another body are read again. */
function continueFrom(before: Exchange, exchange: Exchange): void {
  exchange.settings = before.settings
  exchange.identity = required(before.identity, 'identity')
  exchange.keyDocument = before.keyDocument
  const { headers } = before
  if (headers['content-type'] !== jsonType || headers['content-encoding'] !== undefined) return
  exchange.headers = headers
  exchange.own = before.own
  exchange.options = before.options
}

const jsonType = 'application/json'

/** Of another body than the one that is sent now. */
const bodyHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
])

function withBody(headers: Transport['headers'], contentType: string): Transport['headers'] {
  const kept: Record<string, string | string[] | undefined> = { 'content-type': contentType }
  for (const name in headers) if (!bodyHeaders.has(name)) kept[name] = headers[name]
  return kept
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
