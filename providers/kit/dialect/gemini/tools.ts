/**
 * Converts `tools` and `tool_choice` to `tools` and `toolConfig`. `strict` functions request calls that match their
 * schemas (mode `VALIDATED`; mode `ANY` does so anyway). `web_search_options` becomes grounding with Google Search.
 * The API cannot disable parallel calls.
 * Reference: https://ai.google.dev/gemini-api/docs/function-calling
 * Errors: `invalid_body` for tools that are not functions and for a tool choice without tools.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { type FunctionTool, readToolUse, type ToolUse } from '../../chat/tools.ts'
import { geminiSchema } from './json-schema.ts'
import { validatesCalls } from './models.ts'
import type { FunctionDeclaration, GeminiTool, Reader, ToolConfig } from './types.ts'

export interface ToolParameters {
  tools?: GeminiTool[]
  toolConfig?: ToolConfig
}

type Calling = NonNullable<ToolConfig['functionCallingConfig']>

/** The tools of a request and its tool choice. */
export function readTools(body: JsonObject, reader: Reader): ToolParameters {
  const use = readToolUse(body, reader.provider)
  const search: GeminiTool[] = isObject(body.web_search_options) ? [{ googleSearch: {} }] : []
  if (use.tools.length === 0) return search.length === 0 ? {} : { tools: search }
  const isChosen = body.tool_choice !== undefined && body.tool_choice !== null
  const calling = callingOf(use, isChosen, reader)
  return {
    tools: [{ functionDeclarations: use.tools.map(declarationOf) }, ...search],
    ...(calling === null ? {} : { toolConfig: { functionCallingConfig: calling } }),
  }
}

function declarationOf({ name, description, parameters, hasParameters }: FunctionTool): FunctionDeclaration {
  return {
    name,
    ...(description === '' ? {} : { description }),
    ...(hasParameters ? { parametersJsonSchema: geminiSchema({ type: 'object', ...parameters }) } : {}),
  }
}

/** Null for the model's default. */
function callingOf({ tools, choice, named }: ToolUse, isChosen: boolean, { model }: Reader): Calling | null {
  if (named !== null) return { mode: 'ANY', allowedFunctionNames: [named] }
  if (choice === 'required') return { mode: 'ANY' }
  if (choice === 'none') return { mode: 'NONE' }
  if (tools.some(({ isStrict }) => isStrict) && validatesCalls(model)) return { mode: 'VALIDATED' }
  return isChosen ? { mode: 'AUTO' } : null
}
