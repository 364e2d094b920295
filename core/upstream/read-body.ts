/** Collects the body of an upstream's answer. Errors: `upstream_invalid_response`, `overloaded`. */
import { GatewayError } from '@gateway/contract'
import type { Received, RequestBuffers, Routed, UpstreamAnswer } from '@gateway/flow'

export interface ReadBodyOptions {
  /** The limit on the decoded body; a larger one closes the connection. */
  maxBytes: number
  /** The buffer budget for its purpose. */
  buffers: RequestBuffers
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
  const chunks: Buffer[] = []
  const held = buffers.open()
  let bytes = 0
  try {
    for (let step = await body.next(); step.done !== true; step = await body.next()) {
      bytes += step.value.length
      if (bytes > maxBytes) throw tooLarge()
      held.resize(bytes)
      chunks.push(step.value)
    }
  } catch (error) {
    body.destroy()
    // A retry of this request, or another target, may need the memory.
    held.resize(0)
    throw error
  }
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes)
}

/** The limit on a buffered answer of this request's endpoint. */
export function answerBounds({ endpoint, workspace, transport }: Routed): ReadBodyOptions {
  return {
    maxBytes: Math.max(workspace.maxAnswerBytes, endpoint?.maxAnswerBytes ?? 0),
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
