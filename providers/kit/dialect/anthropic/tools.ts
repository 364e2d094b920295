/**
 * `tools`, `tool_choice` and `parallel_tool_calls` → `tools` and `tool_choice`; the legacy `functions` and
 * `function_call` too. A function without parameters gets an empty object schema; `strict` is kept.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 * Errors: `invalid_body` for tools that are not functions and for a choice among no tools.
 */
import type { Tool, ToolChoice } from '@anthropic-ai/sdk/resources/messages'
import { isObject, type Json, type JsonObject } from '@gateway/core/contract'
import { cacheControl } from './content.ts'
import { refuse } from './refuse.ts'
import type { Reader } from './types.ts'

export interface ToolParameters {
  tools?: Tool[]
  tool_choice?: ToolChoice
}

/** Whether a request uses the legacy form, whose answers carry `function_call`. */
export function isLegacy(body: JsonObject): boolean {
  return isFilled(body.functions) && !isFilled(body.tools)
}

/** The tools of a request and how the model may choose among them. */
export function readTools(body: JsonObject, reader: Reader): ToolParameters {
  const legacy = isLegacy(body)
  const tools = legacy ? legacyTools(body.functions) : currentTools(body.tools, reader)
  const choice = legacy
    ? choiceOf(body.function_call, '/function_call', reader)
    : choiceOf(body.tool_choice, '/tool_choice', reader)
  if (tools.length === 0) {
    if (choice === null || choice.type === 'auto' || choice.type === 'none') return {}
    throw refuse(reader, '/tool_choice', 'needs tools')
  }
  // The legacy form can hold one call only.
  const isSingle = legacy || body.parallel_tool_calls === false
  const wanted = isSingle ? single(choice) : choice
  return wanted === null ? { tools } : { tools, tool_choice: wanted }
}

function isFilled(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0
}

function currentTools(value: Json | undefined, reader: Reader): Tool[] {
  return listOf(value).map((tool, index) => {
    if (!isObject(tool) || !isObject(tool.function)) {
      throw refuse(reader, `/tools/${index}/type`, 'only tools of type function are supported')
    }
    return { ...toolOf(tool.function), ...cacheControl(tool) }
  })
}

function legacyTools(value: Json | undefined): Tool[] {
  return listOf(value).filter(isObject).map(toolOf)
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

function toolOf(definition: JsonObject): Tool {
  const { name, description, parameters, strict } = definition
  const schema = isObject(parameters) ? parameters : { properties: {} }
  return {
    name: typeof name === 'string' ? name : '',
    ...(typeof description === 'string' ? { description } : {}),
    input_schema: { ...schema, type: 'object' },
    ...(strict === true ? { strict } : {}),
    ...cacheControl(definition),
  }
}

const namedChoices: Record<string, ToolChoice> = {
  none: { type: 'none' },
  auto: { type: 'auto' },
  required: { type: 'any' },
}

function choiceOf(choice: Json | undefined, path: string, reader: Reader): ToolChoice | null {
  if (choice === undefined || choice === null) return null
  const named = typeof choice === 'string' ? namedChoices[choice] : undefined
  if (named !== undefined) return named
  const name = isObject(choice) ? nameOf(choice) : null
  if (name === null) throw refuse(reader, path, 'this choice is not supported')
  return { type: 'tool', name }
}

/** `{type: function, function: {name}}`, or the legacy `{name}`. */
function nameOf(choice: JsonObject): string | null {
  const holder = isObject(choice.function) ? choice.function : choice
  return typeof holder.name === 'string' ? holder.name : null
}

function single(choice: ToolChoice | null): ToolChoice {
  if (choice === null) return { type: 'auto', disable_parallel_tool_use: true }
  return choice.type === 'none' ? choice : { ...choice, disable_parallel_tool_use: true }
}
