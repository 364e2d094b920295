/**
 * A response request → a chat request. If the gateway stored the history of `previous_response_id` and the referenced
 * items, `input` already contains them.
 * Reference: https://www.openresponses.org/reference
 * Errors: `invalid_body` for features that only the format's vendor supports (see {@link refusals}); 404
 * `previous_response_not_found` for a previous response that is not stored.
 */
import { GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import { readMessages } from './messages.ts'
import { refuse } from './refuse.ts'
import { readTools } from './tools.ts'

/** Members with the same name and meaning in a chat request. */
const sharedMembers = [
  'model',
  'stream',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'user',
] as const

/** Members that only this format has: they are translated, stored by the gateway, or have no meaning elsewhere. */
const ownMembers = [
  'input',
  'instructions',
  'previous_response_id',
  'conversation',
  'include',
  'store',
  'metadata',
  'max_output_tokens',
  'max_tool_calls',
  'text',
  'reasoning',
  'truncation',
  'background',
  'stream_options',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'context_management',
  'prompt',
  'moderation',
]

/** All members of the format. */
export const requestMembers: ReadonlySet<string> = new Set([...sharedMembers, ...ownMembers])

/** The caller's paths of parameters that have other names in the chat request. */
export const chatPaths = { verbosity: '/text/verbosity' } as const

/** Members that cannot be translated, and why. */
const refusals: readonly { member: string; isAsked(value: unknown): boolean; reason: string }[] = [
  {
    member: 'background',
    isAsked: (value) => value === true,
    reason: 'background runs need a provider with native support for this endpoint',
  },
  ...['conversation', 'prompt', 'moderation'].map((member) => ({
    member,
    isAsked: (value: unknown) => value !== undefined && value !== null,
    reason: 'is a feature of the vendor that this provider lacks',
  })),
  {
    member: 'context_management',
    isAsked: (value) => Array.isArray(value) && value.length > 0,
    reason: 'this provider does not compact conversations',
  },
]

/** Translates a response request. */
export function readRequest(body: JsonObject, context: DialectContext): JsonObject {
  for (const { member, isAsked, reason } of refusals)
    if (isAsked(body[member])) throw refuse(context, `/${member}`, reason)
  if (typeof body.model !== 'string') throw refuse(context, '/model', 'is required')
  const { previous_response_id: previous } = body
  if (typeof previous === 'string') throw unknownPreviousResponse(previous)
  const passed = sharedMembers.flatMap((member): [string, Json][] => {
    const value = body[member]
    return value === undefined || value === null ? [] : [[member, value]]
  })
  return {
    ...Object.fromEntries(passed),
    messages: readMessages(body, context),
    ...readTools(body, context),
    ...readLimits(body),
    ...readText(body.text, context),
    ...readReasoning(body.reasoning),
    ...readLogprobs(body),
    ...(body.stream === true ? { stream_options: { include_usage: true } } : {}),
  }
}

/** 404 for a conversation that cannot be continued. */
export function unknownPreviousResponse(id: string): GatewayError {
  return new GatewayError(
    'previous_response_not_found',
    `Previous response "${id.slice(0, 100)}" not found: it was not stored, has expired, or belongs to another workspace.`,
    { param: '/previous_response_id' },
  )
}

function readLimits({ max_output_tokens: limit }: JsonObject): JsonObject {
  return typeof limit === 'number' ? { max_completion_tokens: limit } : {}
}

function readText(text: JsonObject[string], context: DialectContext): JsonObject {
  if (!isObject(text)) return {}
  const { format, verbosity } = text
  const said = typeof verbosity === 'string' ? { verbosity } : {}
  if (!isObject(format) || format.type === 'text') return said
  if (format.type === 'json_object') return { ...said, response_format: { type: 'json_object' } }
  if (format.type !== 'json_schema')
    throw refuse(context, '/text/format/type', 'must be text, json_object or json_schema')
  const { type, ...rest } = format
  const schema = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  return { ...said, response_format: { type, json_schema: schema } }
}

function readReasoning(reasoning: JsonObject[string]): JsonObject {
  if (!isObject(reasoning) || typeof reasoning.effort !== 'string') return {}
  return { reasoning_effort: reasoning.effort }
}

function readLogprobs({ include, top_logprobs: top }: JsonObject): JsonObject {
  const isIncluded = Array.isArray(include) && include.includes('message.output_text.logprobs')
  const count = typeof top === 'number' && top > 0 ? { top_logprobs: top } : {}
  return isIncluded || Object.keys(count).length > 0 ? { logprobs: true, ...count } : {}
}
