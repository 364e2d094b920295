/**
 * Converts `tools`, `tool_choice` and `parallel_tool_calls` to `tools` and `tool_choice`. A function without
 * parameters gets an empty object schema; `strict` is kept. `web_search_options` becomes the vendor's web search
 * tool.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 * Errors: `invalid_body` for tools that are not functions and for a tool choice without tools.
 */
import type { Tool, ToolChoice, WebSearchTool20250305 } from '@anthropic-ai/sdk/resources/messages'
import { isObject, type JsonObject } from '@gateway/contract'
import { type FunctionTool, readToolUse, type ToolUse } from '../../chat/tools.ts'
import { objectOf } from '../../chat/values.ts'
import { cacheControl } from './content.ts'
import type { MessagesRequest, Reader } from './types.ts'

type ToolParameters = Pick<MessagesRequest, 'tools' | 'tool_choice'>

/**
 * The tools of a request and its tool choice.
 * @param isSingle whether an answer can contain only one call
 */
export function readTools(body: JsonObject, reader: Reader, isSingle: boolean): ToolParameters {
  const use = readToolUse(body, reader.provider)
  const tools = [...use.tools.map(toolOf), ...searchTool(body)]
  if (use.tools.length === 0) return tools.length === 0 ? {} : { tools }
  const isChosen = body.tool_choice !== undefined && body.tool_choice !== null
  const choice = isChosen || isSingle ? choiceOf(use, isSingle) : null
  return choice === null ? { tools } : { tools, tool_choice: choice }
}

function toolOf({ name, description, parameters, isStrict, cacheControl: marker }: FunctionTool): Tool {
  return {
    name,
    ...(description === '' ? {} : { description }),
    input_schema: { ...parameters, type: 'object' },
    ...(isStrict ? { strict: true } : {}),
    ...cacheControl({ cache_control: marker }),
  }
}

function choiceOf({ choice, named }: ToolUse, isSingle: boolean): ToolChoice {
  if (choice === 'none') return { type: 'none' }
  const single = isSingle ? { disable_parallel_tool_use: true } : {}
  if (named !== null) return { type: 'tool', name: named, ...single }
  return { type: choice === 'required' ? 'any' : 'auto', ...single }
}

/** The model decides how often it searches. */
function searchTool({ web_search_options: options }: JsonObject): WebSearchTool20250305[] {
  if (!isObject(options)) return []
  const place = objectOf(objectOf(options.user_location).approximate)
  const known = (['city', 'country', 'region', 'timezone'] as const).flatMap((name) => {
    const value = place[name]
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : []
  })
  const { allowed_domains: allowed } = objectOf(options.filters)
  const domains = Array.isArray(allowed) ? allowed.filter((domain) => typeof domain === 'string') : []
  const location = { type: 'approximate' as const, ...Object.fromEntries(known) }
  return [
    {
      type: 'web_search_20250305',
      name: 'web_search',
      ...(domains.length === 0 ? {} : { allowed_domains: domains }),
      ...(known.length === 0 ? {} : { user_location: location }),
    },
  ]
}
