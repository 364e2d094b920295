/**
 * `response_format`. `json_schema` is a structured output. The API has no JSON mode without a schema, and models
 * before version 4.1 have no structured outputs: then the system prompt contains an instruction, as the vendor's
 * guides recommend.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 * Errors: `invalid_body` for other formats.
 */
import type { OutputConfig } from '@anthropic-ai/sdk/resources/messages'
import type { JsonObject } from '@gateway/contract'
import { jsonInstruction, readResponseFormat } from '../../chat/response-format.ts'
import { isBefore } from './models.ts'
import { outputSchema } from './output-schema.ts'
import type { Conversation, Reader } from './types.ts'

export interface Format {
  format: NonNullable<OutputConfig['format']> | null
  instruction: string | null
}

/** The parameters that request the answer's format. */
export function readFormat(body: JsonObject, model: string, { provider }: Reader): Format {
  const wanted = readResponseFormat(body, provider)
  if (wanted.type === 'text') return { format: null, instruction: null }
  if (wanted.type === 'json_object') return { format: null, instruction: jsonInstruction() }
  const { schema } = wanted
  if (isBefore(model, 4, 1)) return { format: null, instruction: jsonInstruction(schema) }
  return { format: { type: 'json_schema', schema: outputSchema(schema) }, instruction: null }
}

/** The system prompt with an instruction appended. */
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
