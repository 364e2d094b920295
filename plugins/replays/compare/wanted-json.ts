/** The JSON that a request asks for, and whether an answer is that. */
import { isObject, type Json, type JsonObject, parseJson, runInTurns } from '@gateway/contract'
import { compileSchema, type Fits, isTooComplex } from '@gateway/plugin-kit/json-schema'

/** Null if the answer may be any text. */
export function wantedSchema(request: JsonObject): JsonObject | null {
  const { response_format: ofChat, text, output_config: config, output_format: older } = request
  const ofResponse = isObject(text) ? text.format : undefined
  const ofMessage = isObject(config) ? config.format : older
  for (const format of [ofChat, ofResponse, ofMessage]) {
    if (!isObject(format)) continue
    if (format.type === 'json_object') return { type: 'object' }
    if (format.type !== 'json_schema') continue
    const named = isObject(format.json_schema) ? format.json_schema.schema : format.schema
    return isObject(named) ? named : { type: 'object' }
  }
  return wantedContent(request.generationConfig)
}

/** In the Gemini format a schema in that format's own spelling is not checked: any JSON will do. */
function wantedContent(config: Json | undefined): JsonObject | null {
  if (!isObject(config) || config.responseMimeType !== 'application/json') return null
  return isObject(config.responseJsonSchema) ? config.responseJsonSchema : {}
}

/** Checks whether a text is valid JSON that matches the schema. Null if the check would take too many steps. */
export type JsonCheck = (text: string) => Promise<boolean | null>

export function createJsonCheck(schema: JsonObject, signal: AbortSignal): JsonCheck {
  const fits = compiled(schema)
  return async (text) => {
    const value = parseJson(text)
    if (value === undefined) return false
    if (fits === null) return true
    try {
      return (await runInTurns(fits(value), { signal })) === null
    } catch (error) {
      if (!isTooComplex(error)) throw error
      return null
    }
  }
}

/**
 * Null for a schema that this compiler does not support, even if the provider does. Only the syntax is then checked.
 */
function compiled(schema: JsonObject): Fits | null {
  try {
    return compileSchema(schema)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return null
  }
}
