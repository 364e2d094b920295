/**
 * `/v1/proxy/*`: any other route of a provider, with bytes in both directions and the provider's credential added.
 * Headers are forwarded as elsewhere: those that the config or the request lists, and those that describe the body.
 * Guardrails check JSON; other bodies are refused if guardrails apply. Errors: `unsupported_endpoint` for a provider
 * without a base URL, or for a body that guardrails cannot check; 404 `not_found` for a path that leaves the
 * provider's; those of the call.
 */

import {
  GatewayError,
  isJsonType,
  isObject,
  type ProviderAdapter,
  parseJson,
  type UpstreamRequest,
} from '@gateway/contract'
import {
  type Answer,
  createAnswer,
  passHeaders,
  type ResolvedTarget,
  type Routed,
  type Targeted,
  type UpstreamAnswer,
} from '@gateway/flow'
import { emptyStream, passBytes } from '@gateway/streaming'
import { forwarded } from './call-http.ts'
import { answerBounds, authorize, type CallIo, errorBounds, readBody } from './call-io.ts'
import { readUpstreamError, upstreamErrorAnswer } from './error-answer.ts'
import { proxyUrl } from './proxy-url.ts'

/** Headers that describe the body. */
const descriptive = { passes: ['accept', 'content-encoding', 'content-type'] }

export async function callProxy(exchange: Targeted, target: ResolvedTarget, io: CallIo): Promise<Answer> {
  const isChecked = exchange.node.after.length > 0
  if (isChecked && exchange.input.body.stream === true) throw uncheckable('a stream')
  const request = await authorize(target, buildRequest(exchange, target), io)
  const answer = await exchange.workspace.upstream.send(request, io.cancellation)
  const headers = passHeaders(answer.headers, exchange.workspace.file.server.header_prefixes)
  const { status } = answer
  if (status >= 300 && status < 400 && status !== 304) {
    answer.body.destroy()
    throw new GatewayError('upstream_invalid_response', 'The provider answered with a redirect.')
  }
  if (status >= 400) {
    const text = (await readBody(answer, errorBounds(exchange))).toString('utf8')
    return upstreamErrorAnswer(
      readUpstreamError(status, text, { read: errorReader(target.adapter), headers: answer.headers }),
      target,
      headers,
    )
  }
  const type = answer.headers['content-type'] ?? ''
  const isJson = isJsonType(type)
  if (isChecked) return readChecked(exchange, answer, { headers, isJson })
  const stream = await passBytes(answer.body, exchange.workspace.file.server.stream_idle_timeout_ms)
  return createAnswer({ status, headers, contentType: type, stream })
}

function buildRequest(exchange: Targeted, target: ResolvedTarget): UpstreamRequest {
  const { transport } = exchange
  if (target.baseUrl === null) {
    throw new GatewayError(
      'unsupported_endpoint',
      `The provider ${target.adapter.name} supports no other routes.`,
    )
  }
  const { method } = transport
  return {
    // The route accepts no other method.
    method: method as UpstreamRequest['method'],
    url: proxyUrl(target.baseUrl, transport.path, transport.search),
    headers: forwarded(exchange, descriptive),
    body: bodyOf(exchange),
  }
}

/** The original bytes, unless routing or guardrails changed the body. */
function bodyOf({ input: { raw, source, body } }: Routed): UpstreamRequest['body'] {
  if (raw === null || raw.bytes.length === 0) return null
  return raw.isRead && source?.body !== body ? JSON.stringify(body) : raw.bytes
}

/** A vendor uses one error format on all of its routes. */
function errorReader({ endpoints }: ProviderAdapter) {
  for (const endpoint of Object.values(endpoints)) {
    if (endpoint.kind === 'http' && endpoint.dialect.error !== undefined) return endpoint.dialect.error
  }
  return undefined
}

async function readChecked(
  exchange: Routed,
  answer: UpstreamAnswer,
  { headers, isJson }: { headers: Record<string, string>; isJson: boolean },
): Promise<Answer> {
  const { status } = answer
  const text = (await readBody(answer, answerBounds(exchange))).toString('utf8')
  if (text === '') return createAnswer({ status, headers, contentType: '', stream: emptyStream() })
  const body = isJson ? parseJson(text) : null
  if (!isObject(body)) throw uncheckable('an answer that is not a JSON object')
  return createAnswer({ status, headers, body, text })
}

const uncheckable = (what: string) =>
  new GatewayError('unsupported_endpoint', `The output guardrails of this config cannot read ${what}.`)
