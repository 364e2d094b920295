/**
 * Lists all tools that the model may call: those of the request, and those that items of its input add later, which are
 * results of a tool search and `additional_tools`.
 * Reference: https://platform.openai.com/docs/api-reference/responses/create, `tools` and `input`
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { clientToolOf } from './client-tools.ts'

export interface OfferedTool {
  tool: Json
  /** The tool's path in the caller's body. */
  path: string
  /** Whether an item of the input added the tool. */
  isAdded: boolean
}

/** Types of items that add tools. */
const adding = new Set(['additional_tools', 'tool_search_output'])

/** Lists the tools without those that the client reveals to the model only after a search. */
export function offeredTools({ tools, input }: JsonObject): OfferedTool[] {
  const asked = Array.isArray(tools) ? tools : []
  const isSearched = asked.some((tool) => clientToolOf(tool)?.type === 'tool_search')
  return [
    ...offer(asked, '/tools', false).filter(({ tool }) => !isSearched || !isDeferred(tool)),
    ...(Array.isArray(input) ? input : []).flatMap((item, index) =>
      isObject(item) && typeof item.type === 'string' && adding.has(item.type) && Array.isArray(item.tools)
        ? offer(item.tools, `/input/${index}/tools`, true)
        : [],
    ),
  ]
}

const offer = (tools: readonly Json[], path: string, isAdded: boolean): OfferedTool[] =>
  tools.map((tool, index) => ({ tool, path: `${path}/${index}`, isAdded }))

const isDeferred = (tool: Json): boolean => isObject(tool) && tool.defer_loading === true
