/**
 * Tools and tool choice → the chat format. `tool-table.ts` lists the translation of each type: tools that the client
 * runs become functions, a web search becomes `web_search_options` (`web-search.ts`), and the vendor's other tools are
 * left out, unless the request offers nothing else or forces their use.
 * Reference: https://www.openresponses.org/reference
 */
import { customFunction, isObject, type Json, type JsonObject } from '@gateway/contract'
import { type DialectContext, treatmentOf } from '@gateway/contract/dialect'
import { type Choice, readChoice } from './choice.ts'
import { clientFunction, clientToolOf } from './client-tools.ts'
import { flatName, isNamespace } from './namespaces.ts'
import { type OfferedTool, offeredTools } from './offered-tools.ts'
import { refuse } from './refuse.ts'
import { responsesTools } from './tool-table.ts'
import { isWebSearch, readWebSearch } from './web-search.ts'

/** Returns `tools`, `tool_choice` and `parallel_tool_calls` of the chat request; an empty object without tools. */
export function readTools(body: JsonObject, context: DialectContext): JsonObject {
  const offered = offeredTools(body)
  const unknown: string[] = []
  const read = offered.map((entry) => ({ ...entry, made: readEntry(entry, unknown, context) }))
  refuseTwins(
    read.flatMap(({ isAdded, made }) => (isAdded ? [] : made)),
    read.some(({ tool }) => isFlattened(tool)),
    context,
  )
  const tools = unique(read.flatMap(({ made }) => made))
  const search = readWebSearch(offered, tools.length === 0, context)
  if (tools.length === 0 && search.options === null) {
    const [first] = [...search.faults, ...unknown.map((path) => notSupported(path, offered, context))]
    if (first !== undefined) throw first
  }
  context.leftOut.push(...unknown, ...search.leftOut)
  const functions = tools.map(({ function: { name } }) => name)
  return withChoice(tools, search.options, {
    choice: readChoice(body.tool_choice, functions, context),
    body,
    context,
  })
}

interface WithChoiceOptions {
  choice: Choice
  body: JsonObject
  context: DialectContext
}

function withChoice(
  tools: ChatTool[],
  search: JsonObject | null,
  { choice, body, context }: WithChoiceOptions,
): JsonObject {
  const { names } = choice
  const allowed = names === null ? tools : tools.filter(({ function: { name } }) => names.includes(name))
  const isSearchAllowed = names === null && choice.value !== 'none'
  const options = search !== null && isSearchAllowed ? { web_search_options: search } : {}
  if (allowed.length === 0) {
    if (choice.isForced) throw refuse(context, '/tool_choice', 'needs tools')
    return options
  }
  return {
    tools: allowed,
    ...options,
    ...(choice.value === undefined ? {} : { tool_choice: choice.value }),
    ...(typeof body.parallel_tool_calls === 'boolean'
      ? { parallel_tool_calls: body.parallel_tool_calls }
      : {}),
  }
}

/** Whether the name of the tool's function differs from the caller's name. */
const isFlattened = (tool: Json): boolean =>
  isNamespace(tool) || clientToolOf(tool) !== undefined || (isObject(tool) && tool.type === 'custom')

interface ChatTool extends JsonObject {
  type: 'function'
  function: { name: string; [key: string]: Json | undefined }
}

/**
 * Refuses two functions with the same name. The flat name of a function in a namespace, or the name of another tool,
 * may equal another function's name.
 */
function refuseTwins(tools: readonly ChatTool[], isFlattened: boolean, context: DialectContext): void {
  if (isFlattened && unique(tools).length < tools.length) {
    const twin = tools.find((tool, index) => nameIndex(tools, tool) < index)
    throw refuse(context, '/tools', `two functions would have the name ${twin?.function.name}`)
  }
}

const nameIndex = (tools: readonly ChatTool[], tool: ChatTool): number =>
  tools.findIndex(({ function: { name } }) => name === tool.function.name)

/** The first tool of each name. A tool that was found by a search is the same tool. */
function unique(tools: readonly ChatTool[]): ChatTool[] {
  return tools.filter((tool, index) => nameIndex(tools, tool) === index)
}

function notSupported(path: string, offered: readonly OfferedTool[], context: DialectContext) {
  const tool = offered.find((entry) => entry.path === path)?.tool
  const type = isObject(tool) ? String(tool.type) : 'unknown'
  return refuse(context, `${path}/type`, `tools of type ${type} are not supported by this provider`)
}

/**
 * Reads a function, or all functions of a namespace, each with the namespace's description.
 * @param unknown receives the paths of tools without a translation
 */
function readEntry({ tool, path }: OfferedTool, unknown: string[], context: DialectContext): ChatTool[] {
  if (!isNamespace(tool)) return isWebSearch(tool) ? [] : readTool(tool, path, { unknown, context })
  const purpose = typeof tool.description === 'string' ? tool.description : ''
  return tool.tools.flatMap((member, index) =>
    readTool(member, `${path}/tools/${index}`, { unknown, context }).map((read) => {
      const description = [purpose, read.function.description ?? '']
        .filter((text) => text !== '')
        .join('\n\n')
      const name = flatName({ name: read.function.name, namespace: tool.name })
      return { ...read, function: { ...read.function, name, ...(description === '' ? {} : { description }) } }
    }),
  )
}

function readTool(
  tool: Json,
  path: string,
  { unknown, context }: { unknown: string[]; context: DialectContext },
): ChatTool[] {
  if (!isObject(tool)) throw refuse(context, path, 'must be an object')
  if (treatmentOf(responsesTools, tool) !== 'function') {
    unknown.push(path)
    return []
  }
  const { name, description, parameters, strict } = definitionOf(tool)
  if (typeof name !== 'string') throw refuse(context, `${path}/name`, 'must be a string')
  return [
    {
      type: 'function',
      function: {
        name,
        ...(typeof description === 'string' ? { description } : {}),
        ...(isObject(parameters) ? { parameters } : {}),
        ...(typeof strict === 'boolean' ? { strict } : {}),
      },
    },
  ]
}

function definitionOf(tool: JsonObject): JsonObject {
  const own = clientToolOf(tool)
  if (own !== undefined) return clientFunction(own, tool)
  return tool.type === 'custom' ? { name: tool.name, ...customFunction(tool) } : tool
}
