/**
 * Answers that are neither JSON nor events: bytes, forwarded as they arrive, and texts. Errors:
 * `upstream_invalid_response`.
 */
import { type Answer, createAnswer, type Routed, type UpstreamAnswer } from '@gateway/flow'
import { passBytes } from '@gateway/streaming'
import { answerBounds, readBody } from './call-io.ts'

/** Reads an answer according to its content type. */
export async function readMedia(
  exchange: Routed,
  kind: 'bytes' | 'text',
  { answer, headers }: { answer: UpstreamAnswer; headers: Record<string, string> },
): Promise<Answer> {
  const { status } = answer
  const type = answer.headers['content-type']
  if (kind === 'text') {
    const text = (await readBody(answer, answerBounds(exchange))).toString('utf8')
    return createAnswer({ status, headers, contentType: type ?? 'text/plain', body: { text }, text })
  }
  const stream = await passBytes(answer.body, exchange.workspace.file.server.stream_idle_timeout_ms)
  return createAnswer({ status, headers, contentType: type ?? 'application/octet-stream', stream })
}
