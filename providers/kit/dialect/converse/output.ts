/**
 * `response_format`. A JSON schema becomes one of three things: an output configuration, for models with structured
 * outputs; the input schema of a tool that the model must call, whose call is converted to the text of the answer; or
 * an instruction in the system prompt, as for JSON mode without a schema.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 * Errors: `invalid_body` for other formats.
 */
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import { jsonInstruction, readResponseFormat } from '../../chat/response-format.ts'
import { objectOf, objectsOf, textOf } from '../../chat/values.ts'
import { outputSchema } from '../anthropic/output-schema.ts'
import { familyOf, takesSchema } from './models.ts'
import type { WireRequest, WireToolConfig } from './types.ts'

/** The tool that represents an output schema. */
export const outputTool = 'json_output'

export interface OutputForm {
  textFormat: NonNullable<WireRequest['outputConfig']>['textFormat'] | null
  toolConfig: WireToolConfig | null
  instruction: string | null
}

const asUsual: OutputForm = { textFormat: null, toolConfig: null, instruction: null }

/** The parameters that request the answer's format. */
export function readOutputForm(body: JsonObject, context: CallContext): OutputForm {
  const wanted = readResponseFormat(body, context.settings.provider)
  if (wanted.type === 'text') return asUsual
  if (wanted.type === 'json_object') return { ...asUsual, instruction: jsonInstruction() }
  const { schema, definition } = wanted
  if (takesSchema(textOf(body.model))) return { ...asUsual, textFormat: textFormatOf(schema, definition) }
  if (isOutputTool(context)) return { ...asUsual, toolConfig: toolFor(schema, definition) }
  return { ...asUsual, instruction: jsonInstruction(schema) }
}

function textFormatOf(schema: JsonObject, { name, description }: JsonObject): OutputForm['textFormat'] {
  const jsonSchema = {
    schema: JSON.stringify(outputSchema(schema)),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  }
  return { type: 'json_schema', structure: { jsonSchema } }
}

function toolFor(schema: JsonObject, { description }: JsonObject): WireToolConfig {
  const toolSpec = {
    name: outputTool,
    description: textOf(description) || 'The answer.',
    inputSchema: { json: { ...schema, type: 'object' } },
  }
  return { tools: [{ toolSpec }], toolChoice: { tool: { name: outputTool } } }
}

/**
 * Whether the answer is a call of {@link outputTool}. It is not used with the caller's own tools, which could then
 * never be called, nor with thinking, which does not allow a forced tool.
 */
export function isOutputTool({ request, strict }: CallContext): boolean {
  const { response_format: format, thinking } = request
  if (!isObject(format) || format.type !== 'json_schema') return false
  const model = textOf(request.model)
  const thinks = !strict && isObject(thinking) && thinking.type !== 'disabled'
  const isTaken = takesSchema(model) || !familyOf(model).canForceTool || offersTools(request)
  return !thinks && !isTaken && isRecord(objectOf(format.json_schema).schema)
}

function offersTools({ tools, functions, tool_choice, function_call }: JsonObject): boolean {
  if (objectsOf(tools).length > 0) return tool_choice !== 'none'
  return objectsOf(functions).length > 0 && function_call !== 'none'
}

/** A tool's input is an object, so other schemas cannot be used. */
function isRecord(schema: unknown): boolean {
  if (!isObject(schema)) return false
  return schema.type === 'object' || (schema.type === undefined && isObject(schema.properties))
}
