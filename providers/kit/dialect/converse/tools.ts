/**
 * Converts `tools`, `tool_choice` and `parallel_tool_calls` to `toolConfig`. The API has no `none`: then no tool is
 * sent. Disabling parallel calls needs a model-specific field, which Anthropic models have since 4.5; for others it
 * is dropped.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
 * Errors: `invalid_body` for tools that are not functions and for a choice that names none of them.
 */
import type { JsonObject } from '@gateway/contract'
import { type FunctionTool, readToolUse, type ToolUse, withNamedToolOnly } from '../../chat/tools.ts'
import { isSince } from '../anthropic/models.ts'
import { cachePointOf } from './content.ts'
import { familyOf, takesSchema } from './models.ts'
import type { WireTool, WireToolConfig } from './types.ts'

export interface ToolParameters {
  /** Null when the model must not use a tool. */
  config: WireToolConfig | null
  /** The model's own fields. */
  fields: JsonObject
}

export interface ToolOptions {
  model: string
  provider: string
  /** Whether an answer can contain only one call. */
  isSingle: boolean
}

/** The tools of a request and its tool choice. */
export function readTools(body: JsonObject, { model, provider, isSingle }: ToolOptions): ToolParameters {
  const given = readToolUse(body, provider)
  if (given.tools.length === 0 || given.choice === 'none') return { config: null, fields: {} }
  // A model that can be forced to call, but not to call one of several tools, gets only that tool.
  const use = familyOf(model).canForceTool ? given : withNamedToolOnly(given)
  const tools = use.tools.flatMap((tool) => [
    wireTool(tool, model),
    ...cachePointOf({ cache_control: tool.cacheControl }),
  ])
  if (isSingle && isSince(model, 4, 5)) {
    const choice = { ...modelChoice(use), disable_parallel_tool_use: true }
    return { config: { tools }, fields: { tool_choice: choice } }
  }
  // Some models support only the default choice, and refuse the parameter.
  const toolChoice = use.choice === 'auto' ? {} : { toolChoice: wireChoice(use, model) }
  return { config: { tools, ...toolChoice }, fields: {} }
}

function wireTool({ name, description, parameters, isStrict }: FunctionTool, model: string): WireTool {
  return {
    toolSpec: {
      name,
      ...(description === '' ? {} : { description }),
      inputSchema: { json: { ...parameters, type: 'object' } },
      ...(isStrict && takesSchema(model) ? { strict: true } : {}),
    },
  }
}

function wireChoice({ named }: ToolUse, model: string): NonNullable<WireToolConfig['toolChoice']> {
  return named !== null && familyOf(model).canForceTool ? { tool: { name: named } } : { any: {} }
}

/** The choice in the format of Anthropic models. */
function modelChoice({ choice, named }: ToolUse): JsonObject {
  if (named !== null) return { type: 'tool', name: named }
  return { type: choice === 'required' ? 'any' : 'auto' }
}
