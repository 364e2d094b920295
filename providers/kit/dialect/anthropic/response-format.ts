/**
 * `response_format`. `json_schema` is a structured output. The API has no JSON mode without a schema:
 * `json_object` is asked for in the system prompt, which is what the vendor's guides advise.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 * Errors: `invalid_body` for other formats.
 */
import type { OutputConfig } from '@anthropic-ai/sdk/resources/messages'
import { isObject, type JsonObject } from '@gateway/core/contract'
import { outputSchema } from './output-schema.ts'
import { refuse } from './refuse.ts'
import type { Conversation, Reader } from './types.ts'

const jsonInstruction = 'Answer with one JSON object and nothing else: no prose and no code fence around it.'

export interface Format {
  outputConfig: OutputConfig | null
  instruction: string | null
}

/** How the answer's form is asked for. */
export function readResponseFormat(body: JsonObject, reader: Reader): Format {
  const format = body.response_format
  if (!isObject(format) || format.type === 'text') return { outputConfig: null, instruction: null }
  if (format.type === 'json_object') return { outputConfig: null, instruction: jsonInstruction }
  if (format.type !== 'json_schema') {
    throw refuse(reader, '/response_format/type', 'this format is not supported')
  }
  const schema = isObject(format.json_schema) ? format.json_schema.schema : undefined
  if (!isObject(schema)) throw refuse(reader, '/response_format/json_schema/schema', 'must be a JSON schema')
  return {
    outputConfig: { format: { type: 'json_schema', schema: outputSchema(schema) } },
    instruction: null,
  }
}

/** The system prompt with one more instruction at its end. */
export function withInstruction(
  system: Conversation['system'],
  instruction: string | null,
): Conversation['system'] {
  if (instruction === null) return system
  if (system === null) return instruction
  return typeof system === 'string'
    ? `${system}\n\n${instruction}`
    : [...system, { type: 'text', text: instruction }]
}
