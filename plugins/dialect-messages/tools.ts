/**
 * `tools` and `tool_choice` → function tools, `tool_choice` and `parallel_tool_calls`. `tool-table.ts` lists the
 * translation of each type: tools that the client runs become functions, and the vendor's other tools are left out.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 * Errors: `invalid_body` for a request that offers only such tools, or forces one of them.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import {
  type DialectContext,
  eachBlock,
  isFilled,
  type Reader,
  refuse,
  treatmentOf,
} from '@gateway/contract/dialect'
import { clientToolOf } from './client-tools.ts'
import { keptMarks } from './content.ts'
import { messagesTools } from './tool-table.ts'
import { isWebSearch, searchOptions } from './web-search.ts'

/** The tools and tool choice of a request. */
export function readTools(body: JsonObject, context: DialectContext): JsonObject {
  const reader: Reader = context
  const offered = eachBlock(body.tools, '/tools')
  const isTranslated = ([tool]: [JsonObject, string]) => treatmentOf(messagesTools, tool) === 'function'
  const tools = offered.filter(isTranslated).map(([tool]) => readTool(tool, reader))
  const search = readSearch(offered, tools.length === 0, context)
  const lost = offered.filter((entry) => !isTranslated(entry) && (search === null || entry !== search.entry))
  const [first] = lost
  if (tools.length === 0 && search === null) {
    if (first !== undefined)
      throw refuse(reader, `${first[1]}/type`, `the tool ${String(first[0].type)} cannot be translated`)
    if (isFilled(body.mcp_servers))
      throw refuse(reader, '/mcp_servers', 'MCP servers cannot be translated, and there are no other tools')
  }
  reader.leftOut.push(
    ...lost.map(([, path]) => path),
    ...(isFilled(body.mcp_servers) ? ['/mcp_servers'] : []),
  )
  const isOff = isObject(body.tool_choice) && body.tool_choice.type === 'none'
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(search === null || isOff ? {} : { web_search_options: search.options }),
    ...readUse(body.tool_choice, search === null ? lost : [...lost, search.entry], { tools, reader }),
  }
}

/** The first search that the provider supports with its options. */
function readSearch(
  offered: readonly [JsonObject, string][],
  isAlone: boolean,
  { webSearch }: DialectContext,
) {
  for (const entry of offered) {
    const options = isWebSearch(entry[0]) ? searchOptions(entry[0], isAlone, webSearch) : null
    if (options !== null) return { entry, options }
  }
  return null
}

/** Reads `tool_choice` and `parallel_tool_calls`. */
function readUse(
  given: Json | undefined,
  lost: readonly [JsonObject, string][],
  { tools, reader }: { tools: readonly JsonObject[]; reader: Reader },
): JsonObject {
  if (!isObject(given)) return {}
  if (given.type === 'tool' && lost.some(([{ name }]) => name === given.name))
    throw refuse(reader, '/tool_choice/name', `the tool ${String(given.name)} cannot be translated`)
  const mustCall = given.type === 'any' || given.type === 'tool'
  return {
    ...(tools.length === 0 && !mustCall ? {} : { tool_choice: readChoice(given, reader) }),
    ...(given.disable_parallel_tool_use === true && tools.length > 0 ? { parallel_tool_calls: false } : {}),
  }
}

function readTool(tool: JsonObject, reader: Reader): JsonObject {
  const { name, strict } = tool
  const own = clientToolOf(tool)
  const description = own?.description ?? tool.description
  const definition = {
    name: name ?? own?.type,
    ...(typeof description === 'string' ? { description } : {}),
    parameters: own?.parameters ?? tool.input_schema,
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
  return { type: 'function', function: definition, ...keptMarks(tool, reader) }
}

function readChoice({ type, name }: JsonObject, reader: Reader): Json {
  if (type === 'tool') return { type: 'function', function: { name } }
  if (type === 'any') return 'required'
  if (type === 'auto' || type === 'none') return type
  throw refuse(reader, '/tool_choice/type', `a choice of type ${String(type)} cannot be translated`)
}
