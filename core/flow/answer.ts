/** What travels outwards: answers, their shape, and their makers. */

import { type GatewayError, type JsonObject, renderError } from '@gateway/contract'
import type { ConfigNode, ResolvedTarget } from './config-node.ts'
import type { HookResult } from './hook-result.ts'

/** Whole events as bytes, to the ending that their format has; one that breaks off throws instead. */
export type AnswerStream = AsyncIterableIterator<Buffer>

/** One stream for several readers, each from its beginning. */
export interface SharedStream {
  /** Nobody may join once `ended` was told. */
  reader(): AnswerStream
}

/** What a target, the cache or the gateway itself answered. */
export interface Answer {
  status: number
  /** The upstream's, less those that end here. */
  headers: Readonly<Record<string, string>>
  /** Null for a stream. */
  body: JsonObject | null
  /** The body as the text that came; null once it was replaced. */
  text: string | null
  /** Events; or bytes as they come, when there is a content type. */
  stream: AnswerStream | null
  /** Of an answer that is neither JSON nor events: `stream` has it, or it is a text, which the body has as `{text}`. */
  contentType: string | null
  /** The caller's body, where it was translated for the target; null where the target speaks the caller's format. */
  asked: JsonObject | null
  /** Why the gateway answers in the target's place; null for an answer of the target's own. */
  fault: GatewayError | null
  /** No answer came from the target at all: connection, timeout, circuit, unsupported endpoint. */
  isUnanswered: boolean
  /** A connection that failed or an answer that could not be read: retried whatever the codes say. */
  isConnectionFault: boolean
  provider: string | null
  /** Slug of the stored credential that was used. */
  virtualKey: string | null
  /** Whose secrets and host no later error may show; null for an answer without a target. */
  target: ResolvedTarget | null
  /** The path of the target that answered. */
  index: string | null
  retries: number
  cacheStatus: CacheStatus
  /** Of a semantic hit, to what was asked before; else null. */
  cacheSimilarity: number | null
  /** Results of the after phase of the try that gave this answer. */
  afterResults: readonly HookResult[]
  /** Results of the after phase that come with the end of a stream; complete when that was read. */
  lateResults: readonly HookResult[]
  /** Results of the before phase on the way to the target. */
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

/** The status that the caller sees: 246 for a 200 where a guardrail failed and did not deny. */
export function statusOf({ status, beforeResults, afterResults }: Answer): number {
  if (status !== 200) return status
  return [...beforeResults, ...afterResults].every(({ verdict }) => verdict) ? 200 : 246
}

/** What is away now may be back in a moment; a fault that knows better says so itself. */
const laterHeaders = { 'retry-after': '1' }

/** The gateway's own answer for a fault. */
export function faultAnswer(fault: GatewayError, parts: Partial<Answer> = {}): Answer {
  return createAnswer({
    ...parts,
    status: fault.status,
    headers: { ...(fault.status === 503 ? laterHeaders : {}), ...fault.headers },
    body: renderError(fault),
    text: null,
    stream: null,
    contentType: null,
    fault,
  })
}

/** Which target an answer comes from. */
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

/** Which target an answer stands for, before that is called. */
export const originOfNode = ({ path, target }: ConfigNode) => ({
  index: path,
  provider: target?.adapter.name ?? null,
  virtualKey: target?.slug ?? null,
})
