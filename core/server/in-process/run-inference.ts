/**
 * Runs an inference request of a service through the same stages as a client's request. Errors are returned as the
 * answer.
 */
import { GatewayError, type InferenceAnswer, type InferenceRequest } from '@gateway/contract'
import {
  Canceller,
  createExchange,
  RequestBuffers,
  type RequestOrigin,
  type Runtime,
  type Stores,
  type Transport,
} from '@gateway/flow'
import { InProcessTransport } from './transport.ts'
import { withExternalRecords } from './with-external-records.ts'

export function runInference(runtime: Runtime, request: InferenceRequest): Promise<InferenceAnswer> {
  const { raw, identity, provider, isExempt } = request
  return runInProcess(runtime, {
    ...request,
    stores: withExternalRecords(runtime.stores, request),
    raw: raw ?? null,
    traceId: null,
    caller: () => runtime.identities.findAgain(identity),
    origin: { ...request.origin, provider, isExempt },
    ended: request.records?.ended?.bind(request.records),
  })
}

export interface InProcessRequest
  extends Pick<InferenceRequest, 'method' | 'path' | 'headers' | 'body' | 'text' | 'clientIp' | 'signal'> {
  raw: NonNullable<InferenceRequest['raw']> | null
  /** Null for a new trace. */
  traceId: string | null
  caller: NonNullable<Transport['caller']>
  origin: RequestOrigin
  stores: Stores
  /** Called once, when the request has ended. */
  ended?: (() => void) | undefined
}

/** Runs a request whose caller is already known. */
export function runInProcess(runtime: Runtime, request: InProcessRequest): Promise<InferenceAnswer> {
  const { headers, raw, clientIp, signal, caller, origin } = request
  const leaving = new Canceller()
  const leave = () => leaving.abort(new GatewayError('client_closed_request', 'The client disconnected.'))
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  const buffers = new RequestBuffers(runtime.buffers)
  return new Promise((resolve, reject) => {
    const transport = new InProcessTransport({
      method: request.method ?? 'POST',
      url: request.path,
      headers: withBody(lowerCased(headers), raw?.contentType ?? 'application/json'),
      body: request.body,
      text: request.text,
      raw: raw?.bytes ?? null,
      clientIp,
      caller,
      origin,
      buffers,
      leaving,
      answered: resolve,
    })
    const exchange = createExchange({
      stores: request.stores,
      workspace: runtime.current.settings,
      transport,
      leaving,
      traceId: request.traceId,
    })
    const answering = async () => runtime.runRequest(exchange)
    answering().then(end, (error: unknown) => {
      end()
      reject(error)
    })
    function end(): void {
      buffers.release()
      signal.removeEventListener('abort', leave)
      request.ended?.()
    }
  })
}

/** Headers that describe a body other than the one that is sent. */
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
