/**
 * The response object around an output. It has every field that the format requires: the request's parameters are
 * echoed, and omitted ones have the format's defaults.
 * Reference: https://www.openresponses.org/reference
 */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'
import { cachedTokensOf, type DialectContext } from '@gateway/contract/dialect'

export interface ResponseParts {
  id: string
  /** Unix seconds. */
  createdAt: number
  model: Json | undefined
  serviceTier: Json | undefined
  ending: Ending | null
  output: JsonObject[]
  usage: JsonObject | null
}

export interface Ending {
  status: 'completed' | 'incomplete'
  reason: 'max_output_tokens' | 'content_filter' | null
}

const reasons: Readonly<Record<string, Ending['reason']>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

/** How a response ended, derived from the finish reason of the chat answer. */
export function endingOf(finishReason: Json | undefined): Ending {
  const known = typeof finishReason === 'string' && Object.hasOwn(reasons, finishReason)
  const reason = known ? (reasons[finishReason] ?? null) : null
  return { status: reason === null ? 'completed' : 'incomplete', reason }
}

/** Creates the response. Without an ending, it is in progress. */
export function responseObject(
  parts: ResponseParts,
  context: Pick<DialectContext, 'request' | 'now'>,
): JsonObject {
  const { ending } = parts
  return {
    id: parts.id,
    object: 'response',
    created_at: parts.createdAt,
    status: ending?.status ?? 'in_progress',
    completed_at: ending?.status === 'completed' ? Math.floor(context.now() / 1000) : null,
    error: null,
    incomplete_details: ending === null || ending.reason === null ? null : { reason: ending.reason },
    ...askedOf(context.request),
    model: parts.model ?? context.request.model,
    service_tier: tierOf(parts.serviceTier) ?? tierOf(context.request.service_tier) ?? 'default',
    output: parts.output,
    usage: parts.usage,
  }
}

/** The format's service tiers, and the nearest one for tiers of other vendors. */
const tiers: Readonly<Record<string, string>> = {
  auto: 'auto',
  default: 'default',
  flex: 'flex',
  scale: 'scale',
  priority: 'priority',
  standard: 'default',
  standard_only: 'default',
  on_demand: 'default',
  performance: 'priority',
  reserved: 'scale',
}

const tierOf = (tier: Json | undefined): string | undefined =>
  typeof tier === 'string' ? ownMember(tiers, tier) : undefined

/**
 * Defaults of parameters that the request omitted. Reference: https://www.openresponses.org/reference
 */
const defaults: Readonly<Record<string, Json>> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  truncation: 'disabled',
}

/** Echoed if present, because the format does not require them. */
const optionalMembers = ['prompt_cache_retention', 'user'] as const

function askedOf(request: JsonObject): JsonObject {
  const asked: JsonObject = { background: false }
  for (const [member, value] of Object.entries(defaults)) asked[member] = request[member] ?? value
  for (const member of optionalMembers) {
    const value = request[member]
    if (value !== undefined && value !== null) asked[member] = value
  }
  asked.reasoning = reasoningOf(request.reasoning)
  asked.text = textOf(request.text)
  asked.tools = toolsOf(request.tools)
  return asked
}

function reasoningOf(reasoning: Json | undefined): JsonObject {
  const given = isObject(reasoning) ? reasoning : {}
  return { effort: given.effort ?? null, summary: given.summary ?? null }
}

function textOf(text: Json | undefined): JsonObject {
  const given = isObject(text) ? text : {}
  const verbosity = given.verbosity ?? null
  return { format: formatOf(given.format), ...(verbosity === null ? {} : { verbosity }) }
}

function formatOf(format: Json | undefined): JsonObject {
  if (!isObject(format)) return { type: 'text' }
  if (format.type !== 'json_schema') return format
  return {
    ...format,
    description: format.description ?? null,
    schema: format.schema ?? null,
    strict: format.strict ?? false,
  }
}

/** Adds the members that the format requires to functions. */
function toolsOf(tools: Json | undefined): JsonObject[] {
  const given = Array.isArray(tools) ? tools.filter(isObject) : []
  return given.map((tool) =>
    tool.type === 'function'
      ? {
          ...tool,
          description: tool.description ?? null,
          parameters: tool.parameters ?? null,
          strict: tool.strict ?? false,
        }
      : tool,
  )
}

/** Converts the token counts of a chat answer; null without any. */
export function usageOf(usage: Json | undefined): JsonObject | null {
  if (!isObject(usage)) return null
  const prompt = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const completion = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  const input = count(usage.prompt_tokens)
  const output = count(usage.completion_tokens)
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cachedTokensOf(usage) ?? 0,
      cache_write_tokens: count(prompt.cache_write_tokens ?? usage.cache_creation_input_tokens),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: count(completion.reasoning_tokens) },
    total_tokens: typeof usage.total_tokens === 'number' ? usage.total_tokens : input + output,
  }
}

const count = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
