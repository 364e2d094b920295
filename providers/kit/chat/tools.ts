/**
 * The function tools of a request and its tool choice, in one format. Tools of other types belong to vendors of the
 * chat format, so they are left out.
 * Reference: https://platform.openai.com/docs/guides/function-calling
 * Errors: `invalid_body` for a request without any function among its tools, and for a choice that names none of them.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { refusal } from './refusal.ts'
import { parseObject, textOf } from './values.ts'

export interface FunctionTool {
  name: string
  /** The description; empty if the tool has none. */
  description: string
  /** An object schema; it has no properties if the function has no parameters. */
  parameters: JsonObject
  /** Whether the request contains parameters. */
  hasParameters: boolean
  isStrict: boolean
  /** The caller's cache marker, on the tool or on its function. */
  cacheControl: Json | undefined
}

export interface ToolUse {
  tools: FunctionTool[]
  choice: 'auto' | 'none' | 'required'
  /** The function that must be called; then `choice` is `required`. */
  named: string | null
}

/** The tools of a request in the current form. */
export function readToolUse(body: JsonObject, provider: string): ToolUse {
  const given = Array.isArray(body.tools) ? body.tools : []
  const tools = given.flatMap(readTool)
  if (tools.length === 0 && given.length > 0)
    throw refusal(provider, '/tools/0/type', 'only tools of type function are supported')
  const use = readChoice(body.tool_choice, provider)
  if (use.choice !== 'required') return { tools, ...use }
  if (tools.length === 0) throw refusal(provider, '/tool_choice', 'needs tools')
  if (use.named !== null && !tools.some((tool) => tool.name === use.named)) {
    throw refusal(provider, '/tool_choice/function/name', 'names no tool in the request')
  }
  return { tools, ...use }
}

/** The same for a provider that can force a call but not choose the function: only that function is sent. */
export function withNamedToolOnly(use: ToolUse): ToolUse {
  return use.named === null ? use : { ...use, tools: use.tools.filter(({ name }) => name === use.named) }
}

function readTool(tool: Json): FunctionTool[] {
  if (!isObject(tool) || !isObject(tool.function)) return []
  const { name, description, parameters, strict } = tool.function
  return [
    {
      name: textOf(name),
      description: textOf(description),
      parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
      hasParameters: isObject(parameters),
      isStrict: strict === true,
      cacheControl: tool.cache_control ?? tool.function.cache_control,
    },
  ]
}

function readChoice(choice: Json | undefined, provider: string): Pick<ToolUse, 'choice' | 'named'> {
  if (choice === undefined || choice === null) return { choice: 'auto', named: null }
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { choice, named: null }
  // Mistral's name for `required`.
  if (choice === 'any') return { choice: 'required', named: null }
  const holder = isObject(choice) && isObject(choice.function) ? choice.function : choice
  if (isObject(holder) && typeof holder.name === 'string') return { choice: 'required', named: holder.name }
  throw refusal(provider, '/tool_choice', 'this tool choice is not supported')
}

export interface ToolCall {
  id: string
  name: string
  /** The arguments: a JSON object as text. */
  arguments: string
  /** Members of the call in addition to those of the format. */
  extras?: JsonObject
}

/**
 * The calls of an assistant message.
 * Errors: `invalid_body` for calls of other tools than functions.
 */
export function readToolCalls(message: JsonObject, path: string, provider: string): ToolCall[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
  return calls.map((call, index) => {
    if (!isObject(call) || !isObject(call.function)) {
      throw refusal(provider, `${path}/tool_calls/${index}/type`, 'only calls of functions are supported')
    }
    const text = textOf(call.function.arguments).trim()
    return {
      id: textOf(call.id),
      name: textOf(call.function.name),
      arguments: text === '' ? '{}' : text,
    }
  })
}

/**
 * The arguments of a call, parsed.
 * Errors: `invalid_body` when they are not a JSON object.
 */
export function readArguments(
  { arguments: text }: { arguments: string },
  path: string,
  provider: string,
): JsonObject {
  const parsed = parseObject(text)
  if (parsed === null) throw refusal(provider, path, 'must be a string that contains a JSON object')
  return parsed
}
