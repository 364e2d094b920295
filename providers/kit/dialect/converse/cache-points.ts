/**
 * Cache points for callers that set no mark themselves (`prompt_cache: "auto"`): after the tools, the system prompt and the
 * last turn. Only some models support them, and others refuse the request; a point with too few tokens before it is ignored.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import { cacheSupport } from './models.ts'

const point: JsonObject = { cachePoint: { type: 'default' } }

/** The request with cache points; the same request if it already has one, or if the config requests none. */
export function withCachePoints(
  request: JsonObject,
  model: string,
  { marksPrompt }: CallContext,
): JsonObject {
  const support = marksPrompt === true ? cacheSupport(model) : null
  if (support === null || hasPoint(request)) return request
  const { toolConfig } = request
  const tools = isObject(toolConfig) ? listOf(toolConfig.tools) : []
  const system = listOf(request.system)
  return {
    ...request,
    ...(isObject(toolConfig) && support.cachesTools && tools.length > 0
      ? { toolConfig: { ...toolConfig, tools: [...tools, point] } }
      : {}),
    ...(system.length > 0 ? { system: [...system, point] } : {}),
    messages: withLastPoint(listOf(request.messages)),
  }
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

const holders = ['toolConfig', 'tools', 'system', 'messages', 'content'] as const

function hasPoint(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasPoint)
  if (!isObject(value)) return false
  return value.cachePoint !== undefined || holders.some((name) => hasPoint(value[name]))
}

/** Adds a cache point after the last message of the user. */
function withLastPoint(messages: readonly Json[]): Json[] {
  const last = messages.findLastIndex((message) => isObject(message) && message.role === 'user')
  return messages.map((message, index) =>
    index === last && isObject(message)
      ? { ...message, content: [...listOf(message.content), point] }
      : message,
  )
}
