/**
 * The I/O of a call to a provider: what its adapter may fetch, its credential, and the collected body of its answer.
 * Errors: `host_not_allowed`, `upstream_invalid_response`, `overloaded`; those of the adapter.
 */
import { requireOwnHost } from '@gateway/config'
import { GatewayError, type ProviderFetch, type ProviderIo, type UpstreamRequest } from '@gateway/contract'
import type {
  Cancellation,
  Received,
  RequestBuffers,
  ResolvedTarget,
  Routed,
  UpstreamAnswer,
  Workspace,
} from '@gateway/flow'

export interface ReadBodyOptions {
  /** The limit on the decoded body; a larger one closes the connection. */
  maxBytes: number
  /** The buffer budget for its purpose. */
  buffers: RequestBuffers
}

/** Includes the signal that ends the call. */
export interface CallIo extends ProviderIo {
  readonly cancellation: Cancellation
  /** Reports that the first event of a stream has arrived, which ends `request_timeout`. */
  readonly streamBegan: () => void
}

/** A class, because a getter in a literal would give every call its own hidden class. */
class AttemptIo implements CallIo {
  readonly cancellation: Cancellation
  readonly streamBegan: () => void
  readonly now = Date.now
  readonly fetch: ProviderIo['fetch']
  readonly isTrusted: ProviderIo['isTrusted']

  constructor(settings: Workspace, cancellation: Cancellation, { bounds, streamBegan }: CallIoOptions) {
    this.cancellation = cancellation
    this.streamBegan = streamBegan
    this.fetch = (request) => {
      const own = bounds()
      return settings.outbound.fetch(within(request, own), cancellation.signal, own.buffers.open())
    }
    this.isTrusted = settings.guard.isTrusted
  }

  /** Created on first access: most calls never need it. A spread copy does not have it. */
  get signal(): AbortSignal {
    return this.cancellation.signal
  }
}

/** A provider may request less than the endpoint's limit, not more. */
function within(request: ProviderFetch, bounds: ReadBodyOptions): ProviderFetch {
  if (request.maxBytes === undefined || request.maxBytes <= bounds.maxBytes) return request
  return { ...request, maxBytes: bounds.maxBytes }
}

interface CallIoOptions extends Pick<CallIo, 'streamBegan'> {
  /** The I/O of the request, or of a call outside requests; needed only by calls that fetch. */
  bounds(): ReadBodyOptions
}

/** Uses the host guard and the connections of these settings. */
export const createCallIo = (
  settings: Workspace,
  cancellation: Cancellation,
  options: CallIoOptions,
): CallIo => new AttemptIo(settings, cancellation, options)

/**
 * Adds a target's credential to the final request.
 * Errors: `host_not_allowed` when the gateway's own cloud identity would be sent to a host that is neither the vendor's
 * nor trusted; those of the adapter.
 */
export function authorize(
  { adapter, settings }: ResolvedTarget,
  request: UpstreamRequest,
  io: ProviderIo,
): UpstreamRequest | Promise<UpstreamRequest> {
  if (adapter.ownIdentity !== undefined) requireOwnHost(adapter, settings, { url: request.url, io })
  return adapter.auth(request, settings, io)
}

/**
 * The whole body.
 * Errors: `upstream_invalid_response` when it is larger or was cut short; `overloaded`; the reason of the call's signal.
 */
export async function readBody(
  answer: UpstreamAnswer,
  { maxBytes, buffers }: ReadBodyOptions,
): Promise<Buffer> {
  const { body } = answer
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) {
    body.destroy()
    throw tooLarge()
  }
  let chunks: Buffer[] | null = null
  const held = buffers.open()
  let bytes = 0
  try {
    for (let step = await body.next(); step.done !== true; step = await body.next()) {
      bytes += step.value.length
      if (bytes > maxBytes) throw tooLarge()
      held.resize(bytes)
      if (chunks === null) chunks = [step.value]
      else chunks.push(step.value)
    }
  } catch (error) {
    body.destroy()
    // A retry of this request, or another target, may need the memory.
    held.resize(0)
    throw error
  }
  const [first] = chunks ?? []
  return chunks?.length === 1 && first !== undefined ? first : Buffer.concat(chunks ?? [], bytes)
}

/** The limit on a buffered answer of this request's endpoint. */
export function answerBounds({ endpoint, workspace, transport }: Routed): ReadBodyOptions {
  return {
    maxBytes: Math.max(workspace.file.upstream.max_answer_bytes, endpoint?.maxAnswerBytes ?? 0),
    buffers: transport.buffers,
  }
}

/** The limit on an error answer. */
export const errorBounds = ({ transport }: Received): ReadBodyOptions => ({
  maxBytes: maxErrorBytes,
  buffers: transport.buffers,
})

const maxErrorBytes = 1_048_576

/** A body as text, without the byte order mark that some servers send, which JSON does not allow. */
export function bodyText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

const byteOrderMark = 0xfeff

const tooLarge = () =>
  new GatewayError('upstream_invalid_response', 'The answer of the provider is too large.')
