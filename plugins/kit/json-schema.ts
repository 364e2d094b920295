/**
 * Compiles a JSON Schema that a caller or a config chose (drafts 6, 7, 2019-09 and 2020-12) safely: nothing is fetched,
 * no code is generated, patterns are matched in linear time, and compiling and validating take a bounded number of
 * steps for any schema and value. Unknown keywords are rejected, because a misspelt one would let every value pass;
 * `x-…` and `example` are ignored, and `format` is an annotation.
 */
import { isGatewayError, type JsonObject, type Turns } from '@gateway/contract'
import { compileTree } from './schema/compile.ts'
import type { Draft } from './schema/site.ts'
import { SchemaTooComplexError } from './schema/too-complex.ts'
import { type SchemaFault, Validation } from './schema/validation.ts'

export type { SchemaFault } from './schema/validation.ts'

/**
 * Returns the first error of a value, or null if it is valid; runs in turns (`runInTurns`).
 * Errors: `schema_too_complex` if the value needs too many steps.
 */
export type Fits = (value: unknown) => Turns<SchemaFault | null>

/** Whether a schema exceeded a bound, when it was compiled or when it validated a value. */
export const isTooComplex = (error: unknown): boolean =>
  isGatewayError(error) && error.code === 'schema_too_complex'

const maxSchemaLength = 100_000

/**
 * Compiles a schema.
 * @throws Error that describes the error in the schema; `GatewayError` with `schema_too_complex` if it exceeds a bound
 */
export function compileSchema(schema: JsonObject): Fits {
  if (JSON.stringify(schema).length > maxSchemaLength)
    throw new SchemaTooComplexError(`the schema is larger than ${maxSchemaLength} characters`)
  const { root, tracks } = compileTree(schema, draftOf(schema))
  return (value) => new Validation(value, tracks).run(root)
}

function draftOf({ $schema }: JsonObject): Draft {
  if ($schema === undefined) return 2020
  const known = /^https?:\/\/json-schema\.org\/(draft-0[67]|draft\/2019-09|draft\/2020-12)\/schema#?$/
  const name = known.exec(String($schema))?.[1]
  if (name === undefined) throw new Error('the schema’s $schema is not draft 6, 7, 2019-09 or 2020-12')
  if (name === 'draft/2019-09') return 2019
  return name === 'draft/2020-12' ? 2020 : 6
}
