/**
 * `tools` and `tool_choice` → function tools, `tool_choice` and `parallel_tool_calls`. Reference:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use Errors: `invalid_body` for tools
 * that the format's own provider runs or defines.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { eachBlock, keptMarks } from './content.ts'
import { type Reader, refuse } from './refuse.ts'

/** The tools and tool choice of a request. */
export function readTools(body: JsonObject, reader: Reader): JsonObject {
  const tools = eachBlock(body.tools, '/tools').map(([tool, path]) => readTool(tool, path, reader))
  const choice = isObject(body.tool_choice) ? body.tool_choice : null
  const chosen = choice === null ? undefined : readChoice(choice)
  const mustCall = choice?.type === 'any' || choice?.type === 'tool'
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(chosen === undefined || (tools.length === 0 && !mustCall) ? {} : { tool_choice: chosen }),
    ...(choice?.disable_parallel_tool_use === true && tools.length > 0 ? { parallel_tool_calls: false } : {}),
  }
}

function readTool(tool: JsonObject, path: string, reader: Reader): JsonObject {
  const { type, name, description, input_schema: parameters, strict } = tool
  if (typeof type === 'string' && type !== 'custom') {
    throw refuse(reader, `${path}/type`, `the tool ${type} cannot be translated`)
  }
  const definition = {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    parameters,
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
  return { type: 'function', function: definition, ...keptMarks(tool, reader) }
}

function readChoice({ type, name }: JsonObject): Json | undefined {
  if (type === 'tool') return { type: 'function', function: { name } }
  if (type === 'any') return 'required'
  return type === 'auto' || type === 'none' ? type : undefined
}
