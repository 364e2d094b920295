/**
 * Tools and tool choice → the chat format: functions, custom tools, and those of a namespace. A web search becomes
 * `web_search_options` (`web-search.ts`). All other hosted tools are refused (files, code, computers, images, MCP servers).
 * Reference: https://www.openresponses.org/reference
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '../../flow/client-dialect.ts'
import { customFunction } from './custom-tools.ts'
import { flatName, isNamespace, readFunction } from './namespaces.ts'
import { refuse } from './refuse.ts'
import { isWebSearch, readWebSearch } from './web-search.ts'

/** `tools`, `tool_choice` and `parallel_tool_calls` of the chat request; nothing without tools. */
export function readTools(body: JsonObject, context: DialectContext): JsonObject {
  const offered = Array.isArray(body.tools) ? body.tools : []
  const search = readWebSearch(offered, context)
  const tools = offered.flatMap((tool, index) =>
    isWebSearch(tool) ? [] : readEntry(tool, `/tools/${index}`, context),
  )
  if (offered.some((tool) => isNamespace(tool) || isCustom(tool))) refuseTwins(tools, context)
  const choice = readChoice(body.tool_choice, context)
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

const isCallable = (type: Json | undefined): boolean => type === 'function' || type === 'custom'

const isCustom = (tool: Json): boolean => isObject(tool) && tool.type === 'custom'

interface ChatTool extends JsonObject {
  type: 'function'
  function: { name: string; [key: string]: Json | undefined }
}

/** The flat name of a namespaced function, or the name of a custom tool, may equal another function's name. */
function refuseTwins(tools: readonly ChatTool[], context: DialectContext): void {
  const names = new Set<string>()
  for (const {
    function: { name },
  } of tools) {
    if (names.has(name)) throw refuse(context, '/tools', `two functions would have the name ${name}`)
    names.add(name)
  }
}

/** A function, or all functions of a namespace. Each gets the namespace's description. */
function readEntry(tool: Json, path: string, context: DialectContext): ChatTool[] {
  if (!isNamespace(tool)) return [readTool(tool, path, context)]
  const purpose = typeof tool.description === 'string' ? tool.description : ''
  return tool.tools.map((member, index) => {
    const read = readTool(member, `${path}/tools/${index}`, context)
    const description = [purpose, read.function.description ?? ''].filter((text) => text !== '').join('\n\n')
    const name = flatName({ name: read.function.name, namespace: tool.name })
    return { ...read, function: { ...read.function, name, ...(description === '' ? {} : { description }) } }
  })
}

function readTool(tool: Json, path: string, context: DialectContext): ChatTool {
  if (!isObject(tool)) throw refuse(context, path, 'must be an object')
  if (!isCallable(tool.type))
    throw refuse(
      context,
      `${path}/type`,
      `tools of type ${String(tool.type)} are not supported by this provider`,
    )
  const { name, description, parameters, strict } = isCustom(tool)
    ? { ...tool, ...customFunction(tool) }
    : tool
  if (typeof name !== 'string') throw refuse(context, `${path}/name`, 'must be a string')
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      ...(isObject(parameters) ? { parameters } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
  }
}

interface Choice {
  value: Json | undefined
  /** The tools that may be called; null for all. */
  names: readonly string[] | null
  /** Whether a tool call is required. */
  isForced: boolean
}

function readChoice(choice: Json | undefined, context: DialectContext): Choice {
  if (choice === undefined || choice === null) return { value: undefined, names: null, isForced: false }
  if (typeof choice === 'string') return { value: choice, names: null, isForced: choice === 'required' }
  const type = isObject(choice) ? choice.type : undefined
  if (isObject(choice) && isCallable(type))
    return {
      value: { type: 'function', function: { name: flatName(readFunction(choice)) } },
      names: null,
      isForced: true,
    }
  if (isObject(choice) && type === 'allowed_tools') return readAllowed(choice, context)
  throw refuse(
    context,
    '/tool_choice/type',
    `a choice of type ${String(type)} is not supported by this provider`,
  )
}

/** Tools that are not allowed are dropped, so that no model can call them. */
function readAllowed({ mode, tools }: JsonObject, context: DialectContext): Choice {
  if (!Array.isArray(tools)) throw refuse(context, '/tool_choice/tools', 'must be an array')
  const names = tools.map((tool, index) => {
    if (isObject(tool) && isCallable(tool.type) && typeof tool.name === 'string')
      return flatName(readFunction(tool))
    throw refuse(
      context,
      `/tool_choice/tools/${index}`,
      'only functions and custom tools are supported by this provider',
    )
  })
  const isForced = mode === 'required'
  return { value: isForced ? 'required' : 'auto', names, isForced }
}
