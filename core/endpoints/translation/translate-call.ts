/**
 * Serves a call in a client dialect with a provider that has only the unified endpoint, such as chat completions. The
 * body is translated here, at the leaf, and the answer or stream is translated back. Usage is requested for the
 * gateway's own accounting. Errors: `invalid_body` for features without a unified form; `upstream_invalid_response`.
 */

import { removedNames } from '@gateway/config'
import { type EndpointId, GatewayError, isGatewayError, isObject, type JsonObject } from '@gateway/contract'
import type { BodyDialect, ClientDialect, DialectContext } from '@gateway/contract/dialect'
import {
  type Answer,
  changeInput,
  type Endpoint,
  elapsedMs,
  nodePath,
  type Resolved,
  type ResolvedTarget,
  type Routed,
  recordDecision,
  required,
  type Targeted,
  targeted,
} from '@gateway/flow'
import { addedMembers } from './added-members.ts'
import { implementationOf } from './endpoint-of.ts'
import { onlyDefined, parametersOf } from './only-defined.ts'
import { translateAnswerStream } from './translate-answer-stream.ts'

/** Makes the call for an exchange whose body is a unified request. */
export type UnifiedCall = (exchange: Targeted) => Promise<Answer>

/** The endpoint of the unified format that a request is translated to. */
export interface Unified {
  endpoint: Endpoint
  dialect: BodyDialect & Partial<Pick<ClientDialect, 'stream'>>
}

export async function translateCall(
  exchange: Resolved,
  target: ResolvedTarget,
  { unified, call }: { unified: Unified; call: UnifiedCall },
): Promise<Answer> {
  const { dialect } = unified
  let context = createDialectContext(exchange, target, unified.endpoint)
  let answer = await ask(exchange, target, { unified, context, call })
  for (let times = 0; mayShorten(answer, exchange, dialect) && times < mostShortened; times += 1) {
    context = { ...context, leftOut: [], share: context.share * shareOf(answer) }
    answer = await ask(exchange, target, { unified, context, call })
  }
  if (answer.status < 200 || answer.status > 299) return answer
  const asked = exchange.input.body
  if (answer.stream !== null) {
    const stream = required(dialect.stream ?? null, 'translation of streams')(context)
    const format = exchange.endpoint.format
    return { ...answer, asked, stream: translateAnswerStream(answer.stream, stream, format) }
  }
  if (answer.body === null) throw unreadable()
  return { ...answer, asked, text: null, body: translate(answer.body, dialect, context) }
}

/**
 * How often a request is shortened. Four times are enough for an eighth of its length, even if the provider does not
 * report by how much it is too long.
 */
const mostShortened = 4

const mayShorten = ({ tooLong }: Answer, { input: { body } }: Resolved, dialect: BodyDialect): boolean =>
  tooLong !== null && dialect.mayShorten?.(body) === true

/** The share of a request that fits, with a margin because tokens differ in length. */
function shareOf({ tooLong }: Answer): number {
  const { tokens, maximum } = tooLong ?? { tokens: null, maximum: null }
  return tokens === null || maximum === null ? 0.6 : Math.min(0.9, (0.9 * maximum) / tokens)
}

/** @param endpoint of the unified format */
export function createDialectContext(
  exchange: Resolved,
  target: ResolvedTarget,
  endpoint: Endpoint,
): DialectContext {
  const { body, continued } = exchange.input
  return {
    request: continued === null ? body : { ...body, previous_response_id: continued },
    provider: target.adapter.name,
    parameters: parametersOf(implementationOf(exchange, target, { endpoint, isTranslated: true }), exchange),
    webSearch: typeof body.model === 'string' ? (target.adapter.webSearch?.(body.model) ?? null) : null,
    strict: exchange.options.strict ?? exchange.node.strict ?? true,
    leftOut: [],
    share: 1,
    now: Date.now,
    id: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
  }
}

/** Bounds the size of a decision in the trace. */
const mostLeftOut = 100

/**
 * Translates the caller's body for the target. Returns the translated body, and the paths of the caller's body that
 * were left out.
 */
export function translateRequest(
  exchange: Routed,
  { endpoint, dialect }: Unified,
  context: DialectContext,
): { chat: JsonObject; leftOut: readonly string[] } {
  const chat = dialect.request(exchange.input.body, context)
  const sent = endpoint.id === 'chatComplete' ? onlyDefined(chat, context, dialect) : chat
  return { chat: sent, leftOut: context.leftOut.slice(0, mostLeftOut) }
}

interface AskOptions {
  unified: Unified
  context: DialectContext
  call: UnifiedCall
}

async function ask(
  exchange: Resolved,
  target: ResolvedTarget,
  { unified, context, call }: AskOptions,
): Promise<Answer> {
  const { endpoint, dialect } = unified
  const { chat, leftOut } = translateRequest(exchange, unified, context)
  const translated = { ...chat, ...addedMembers(exchange, dialect) }
  const body = withoutRemoved(translated, removedNames(exchange.input.overridden))
  if (leftOut.length > 0)
    recordDecision(exchange, {
      step: 'translate',
      path: nodePath(exchange),
      at_ms: elapsedMs(exchange),
      left_out: [...leftOut],
    })
  const child = targeted(exchange.fork(exchange.node), target)
  child.endpoint = endpoint
  if (dialect.needsExtras) child.options = { ...exchange.options, strict: false }
  changeInput(child, {
    body: body.stream === true ? { ...body, stream_options: withUsage(body.stream_options) } : body,
    source: null,
  })
  try {
    return await call(child)
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'invalid_body') throw error
    // The path refers to the translated body, which the caller does not know.
    throw new GatewayError(
      'invalid_body',
      `As ${namesOf[endpoint.id] ?? 'a unified request'}, ${error.message}`,
      { cause: error },
    )
  }
}

const namesOf: Partial<Record<EndpointId, string>> = {
  chatComplete: 'a chat request',
  embed: 'an embeddings request',
}

/** Members without which no request is complete. */
const kept: ReadonlySet<string> = new Set(['model', 'messages', 'input', 'stream'])

/**
 * Parameters that `override_params` removes are also removed if the translation derived them: `reasoning_effort` from
 * `thinking`.
 */
function withoutRemoved(body: JsonObject, removed: readonly string[]): JsonObject {
  if (removed.length === 0) return body
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => kept.has(name) || !removed.includes(name)),
  )
}

const withUsage = (options: unknown): JsonObject => ({
  ...(isObject(options) ? options : {}),
  include_usage: true,
})

/** When a dialect throws on an answer, the answer is invalid. */
function translate(body: JsonObject, dialect: BodyDialect, context: DialectContext): JsonObject {
  try {
    return dialect.answer(body, context)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw unreadable(error)
  }
}

function unreadable(cause?: unknown): GatewayError {
  return new GatewayError('upstream_invalid_response', 'The provider returned an invalid answer.', {
    cause,
  })
}
