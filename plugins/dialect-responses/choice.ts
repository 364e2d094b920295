/**
 * `tool_choice` → the chat format's. Errors: `invalid_body` for a choice that forces a tool which the provider lacks.
 * Reference: https://platform.openai.com/docs/api-reference/responses/create, `tool_choice`
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import { clientToolOf } from './client-tools.ts'
import { flatName, readFunction } from './namespaces.ts'
import { refuse } from './refuse.ts'

export interface Choice {
  value: Json | undefined
  /** The functions that may be called; null for all. */
  names: readonly string[] | null
  /** Whether a tool call is required. */
  isForced: boolean
}

const words: readonly string[] = ['none', 'auto', 'required']

/** @param functions the names of the request's functions */
export function readChoice(
  choice: Json | undefined,
  functions: readonly string[],
  context: DialectContext,
): Choice {
  if (choice === undefined || choice === null) return { value: undefined, names: null, isForced: false }
  if (typeof choice === 'string') {
    if (!words.includes(choice)) throw refuse(context, '/tool_choice', 'must be none, auto or required')
    return { value: choice, names: null, isForced: choice === 'required' }
  }
  const name = nameOf(choice, functions)
  if (name !== null) return { value: { type: 'function', function: { name } }, names: null, isForced: true }
  const type = isObject(choice) ? choice.type : undefined
  if (isObject(choice) && type === 'allowed_tools') return readAllowed(choice, functions, context)
  throw refuse(
    context,
    '/tool_choice/type',
    `a choice of type ${String(type)} is not supported by this provider`,
  )
}

/** The name of a chosen tool's function; null for tools that are not functions. */
function nameOf(tool: Json, functions: readonly string[]): string | null {
  if (!isObject(tool)) return null
  if (tool.type === 'function' || tool.type === 'custom')
    return typeof tool.name === 'string' ? flatName(readFunction(tool)) : null
  // A choice does not say where a search for tools runs.
  const own = clientToolOf({ execution: 'client', ...tool })
  if (own !== undefined) return own.type
  // A tool of a newer type may have become a function; a server's tools never do.
  const { name, type } = tool
  return typeof name === 'string' && type !== 'mcp' && functions.includes(name) ? name : null
}

/** Tools that are not allowed are dropped, so that no model can call them; so are those that the provider lacks. */
function readAllowed(
  { mode, tools }: JsonObject,
  functions: readonly string[],
  context: DialectContext,
): Choice {
  if (!Array.isArray(tools)) throw refuse(context, '/tool_choice/tools', 'must be an array')
  const names = tools.map((tool) => nameOf(tool, functions))
  const unknown = names.flatMap((name, index) => (name === null ? [`/tool_choice/tools/${index}`] : []))
  const [first] = unknown
  if (first !== undefined && unknown.length === names.length)
    throw refuse(context, first, 'only functions and custom tools are supported by this provider')
  context.leftOut.push(...unknown)
  const isForced = mode === 'required'
  return { value: isForced ? 'required' : 'auto', names: names.filter((name) => name !== null), isForced }
}
