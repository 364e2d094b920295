/**
 * Answers that are neither JSON nor events: bytes, passed on as they come, and texts.
 * Errors: `upstream_invalid_response`.
 */
import { type Answer, createAnswer } from '../flow/answer.ts'
import type { Exchange } from '../flow/exchange.ts'
import type { UpstreamAnswer } from '../flow/upstream.ts'
import { passBytes } from '../streaming/pass-bytes.ts'
import { readBody } from './agent.ts'

/** Longer texts than any transcript is. */
const maxTextBytes = 64 * 1_048_576

/** Reads an answer by the content type that it has. */
export async function readMedia(
  { settings }: Exchange,
  kind: 'bytes' | 'text',
  answer: UpstreamAnswer,
  headers: Record<string, string>,
): Promise<Answer> {
  const { status } = answer
  const type = answer.headers['content-type']
  if (kind === 'text') {
    const text = (await readBody(answer, maxTextBytes)).toString('utf8')
    return createAnswer({ status, headers, contentType: type ?? 'text/plain', body: { text }, text })
  }
  const stream = await passBytes(answer.body, settings.streamIdleTimeoutMs)
  return createAnswer({ status, headers, contentType: type ?? 'application/octet-stream', stream })
}
