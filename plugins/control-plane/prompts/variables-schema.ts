/** Validates the JSON Schema of a version's variables (draft 2020-12). Errors at `/variables_schema`. */
import type { PromptData } from '@gateway/domain'
import { compileSchema, isTooComplex } from '@gateway/plugin-kit/json-schema'
import type { Write } from '../engine/index.ts'

const maxBytes = 65_536
const draft = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

export function checkVariablesSchema({ draft: { data }, fault }: Write<PromptData>): void {
  const { variables_schema: schema } = data
  if (schema === null) return
  if (Buffer.byteLength(JSON.stringify(schema)) > maxBytes) {
    fault('/variables_schema', `must not be larger than ${maxBytes} bytes`)
    return
  }
  if (schema.$schema !== undefined && !draft.test(String(schema.$schema))) {
    fault('/variables_schema/$schema', 'must be the URI of draft 2020-12')
    return
  }
  try {
    compileSchema(schema)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    fault('/variables_schema', error.message, isTooComplex(error) ? 'schema_too_complex' : 'invalid_body')
  }
}
