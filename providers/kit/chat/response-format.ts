/**
 * `response_format` in its three forms.
 * Reference: https://platform.openai.com/docs/guides/structured-outputs
 * Errors: `invalid_body` for another type, and for an invalid schema.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { refusal } from './refusal.ts'
import { objectOf } from './values.ts'

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      schema: JsonObject
      /** The wrapper of the schema: its name, description and strictness. */
      definition: JsonObject
    }

/** The requested format of the answer. */
export function readResponseFormat(body: JsonObject, provider: string): ResponseFormat {
  const { type = 'text', json_schema } = objectOf(body.response_format)
  if (type === 'text' || type === 'json_object') return { type }
  if (type !== 'json_schema') throw refusal(provider, '/response_format/type', 'this format is not supported')
  const definition = objectOf(json_schema)
  const { schema } = definition
  if (!isObject(schema))
    throw refusal(provider, '/response_format/json_schema/schema', 'must be a JSON Schema object')
  return { type, schema, definition }
}

/** The instruction for JSON, when the API cannot enforce it. */
export function jsonInstruction(schema?: JsonObject): string {
  const wanted = 'Answer with one JSON object and nothing else: no prose and no code fence around it.'
  return schema === undefined ? wanted : `${wanted} It must match this schema: ${JSON.stringify(schema)}`
}
