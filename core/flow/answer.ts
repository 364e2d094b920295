/** Answers: their type and their constructors. */

import { type GatewayError, type JsonObject, renderError, type TooLong } from '@gateway/contract'
import type { ConfigNode, ResolvedTarget } from './config-node.ts'
import type { HookResult } from './hook-result.ts'

/** A stream of complete events as bytes, up to the format's terminator; throws when it is cut off. */
export type AnswerStream = AsyncIterableIterator<Buffer>

/** One stream for several readers, each reading from the start. */
export interface SharedStream {
  /** Creates a reader. No reader may be created after `ended`. */
  reader(): AnswerStream
}

/** An answer from a target, the cache or the gateway itself. */
export interface Answer {
  status: number
  /** The upstream's headers, without hop-by-hop ones. */
  headers: Readonly<Record<string, string>>
  /** Null for a stream. */
  body: JsonObject | null
  /** The body's original text; null once the body was replaced. */
  text: string | null
  /** Events, or raw bytes if a content type is set. */
  stream: AnswerStream | null
  /**
   * The content type of an answer that is neither JSON nor events: its content is in `stream`, or, for text, in the
   * body as `{text}`.
   */
  contentType: string | null
  /** The caller's body, if it was translated for the target; null if the target uses the caller's format. */
  asked: JsonObject | null
  /** The reason why the gateway answers instead of the target; null for the target's own answer. */
  fault: GatewayError | null
  /** The target did not answer: connection, timeout, circuit, unsupported endpoint. */
  isUnanswered: boolean
  /** The connection failed or the answer was unreadable: retried regardless of the configured codes. */
  isConnectionFault: boolean
  /** The target's model takes fewer tokens than the request has. */
  tooLong: TooLong | null
  provider: string | null
  /** Slug of the stored credential used. */
  virtualKey: string | null
  /** The target whose secrets and host must not appear in later errors; null for an answer without a target. */
  target: ResolvedTarget | null
  /** The path of the target that answered. */
  index: string | null
  retries: number
  cacheStatus: CacheStatus
  /** Similarity of a semantic hit; otherwise null. */
  cacheSimilarity: number | null
  /** Results of the after phase for the attempt that returned this answer. */
  afterResults: readonly HookResult[]
  /** Results of the after phase at the end of a stream; complete once it was read. */
  lateResults: readonly HookResult[]
  /** Results of the before phase. */
  beforeResults: readonly HookResult[]
}

export type CacheStatus = 'DISABLED' | 'MISS' | 'HIT' | 'REFRESH' | 'SEMANTIC HIT' | 'SEMANTIC MISS'

const blank: Answer = {
  status: 200,
  headers: {},
  body: null,
  text: null,
  stream: null,
  contentType: null,
  asked: null,
  fault: null,
  isUnanswered: false,
  isConnectionFault: false,
  tooLong: null,
  provider: null,
  virtualKey: null,
  target: null,
  index: null,
  retries: 0,
  cacheStatus: 'DISABLED',
  cacheSimilarity: null,
  afterResults: [],
  lateResults: [],
  beforeResults: [],
}

export function createAnswer(parts: Partial<Answer>): Answer {
  return { ...blank, ...parts }
}

/** The status that the caller sees: 246 for a 200 when a guardrail failed without denying. */
export function statusOf({ status, beforeResults, afterResults }: Answer): number {
  if (status !== 200) return status
  return havePassed(beforeResults) && havePassed(afterResults) ? 200 : 246
}

/** Whether no hook failed. */
export const havePassed = (results: readonly HookResult[]): boolean => results.every(({ verdict }) => verdict)

/** Temporary outages may end soon. Errors with a known wait set their own value. */
const laterHeaders = { 'retry-after': '1' }

/** Tells clients not to repeat a request, which many do for every status that they do not know. */
export const noRetryHeaders = { 'x-should-retry': 'false' }

/** The same request would be refused again. */
const finalCodes: ReadonlySet<string> = new Set(['guardrail_denied', 'usage_limit_exceeded'])

const headersOf = ({ status, code }: GatewayError): Readonly<Record<string, string>> =>
  status === 503 ? laterHeaders : finalCodes.has(code) ? noRetryHeaders : {}

/** The gateway's answer for an error. */
export function faultAnswer(fault: GatewayError, parts: Partial<Answer> = {}): Answer {
  return createAnswer({
    ...parts,
    status: fault.status,
    headers: { ...headersOf(fault), ...fault.headers },
    body: renderError(fault),
    text: null,
    stream: null,
    contentType: null,
    fault,
  })
}

/** The target that an answer comes from. */
export const originOf = (
  { path }: ConfigNode,
  target: ResolvedTarget,
  beforeResults: readonly HookResult[],
) => ({
  provider: target.adapter.name,
  virtualKey: target.slug,
  target,
  index: path,
  beforeResults,
})

/** The target of an answer, before it is called. */
export const originOfNode = ({ path, target }: Pick<ConfigNode, 'path' | 'target'>) => ({
  index: path,
  provider: target?.adapter.name ?? null,
  virtualKey: target?.slug ?? null,
})

interface AtNode {
  readonly node: Pick<ConfigNode, 'path' | 'target'>
  readonly input: { readonly beforeResults: readonly HookResult[] }
}

/** The answer of a config node that calls no target because of an error, so that a fallback above it can continue. */
export const nodeFault = (
  { node, input: { beforeResults } }: AtNode,
  fault: GatewayError,
  parts: Partial<Answer> = {},
): Answer => faultAnswer(fault, { ...originOfNode(node), beforeResults, ...parts })

/** The answer of a target that is not called because of an error. */
export const targetFault = (
  { node: { path }, target, input }: AtNode & { readonly target: ResolvedTarget },
  fault: GatewayError,
  parts: Partial<Answer> = {},
): Answer => nodeFault({ node: { path, target }, input }, fault, parts)
