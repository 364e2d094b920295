/**
 * Compiles a JSON Schema that a caller or a config chose (drafts 6, 7, 2019-09 and 2020-12) so that it cannot harm:
 * nothing is fetched, patterns are matched in linear time, and a validation has a bounded number of steps, however
 * schema and value multiply. Unknown keywords are refused, for a misspelt one would let everything pass; `x-…` and
 * `example` are ignored, and `format` is an annotation.
 */
import { compilePattern, isObject, type Json, type JsonObject } from '@gateway/contract'
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** Why a value does not fit. Only `path` is the value's; a check must not show it. */
export interface SchemaFault {
  keyword: string
  schemaPath: string
  /** JSON pointer in the value. */
  path: string
  message: string
}

/** Gives the first fault of a value, null when it fits; throws Error when the value needs too many steps. */
export type Fits = (value: unknown) => SchemaFault | null

const maxSchemaLength = 100_000
const maxDepth = 64
const maxSteps = 1_000_000

/** Counts one step each time a subschema is tried. */
const stepKeyword = 'x-step'

const options: Options = {
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  validateFormats: false,
  inlineRefs: false,
  logger: false,
  code: { regExp: linearPattern },
}

const drafts = { draft7: Ajv, draft2019: Ajv2019, draft2020: Ajv2020 }

/** One validator of schemas for each draft: making one costs tens of milliseconds. */
const metaSchemas = new Map<keyof typeof drafts, Ajv | Ajv2019 | Ajv2020>()

/**
 * Compiles a schema.
 * @throws Error that names the schema's fault
 */
export function compileSchema(schema: JsonObject): Fits {
  if (JSON.stringify(schema).length > maxSchemaLength)
    throw new Error(`the schema is larger than ${maxSchemaLength} characters`)
  const draft = draftOf(schema)
  const { $schema: _, ...bare } = schema
  checkSchema(draft, bare)
  let steps = 0
  const ajv = new drafts[draft]({ ...options, meta: false, validateSchema: false })
  ajv.addKeyword({
    keyword: stepKeyword,
    schemaType: 'boolean',
    validate() {
      if (++steps > maxSteps) throw new Error('the answer takes too many steps to be validated')
      return true
    },
  })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: areUnique })
  const validate = ajv.compile(guarded(bare, 0))
  return (value) => {
    steps = 0
    if (validate(value)) return null
    const [error] = validate.errors ?? []
    const { keyword = 'false', schemaPath = '#', message = 'is not valid' } = error ?? {}
    return { keyword, schemaPath, path: pathOf(error), message }
  }
}

/** A missing member has the path that it would have. */
function pathOf(error: ErrorObject | undefined): string {
  if (error === undefined) return ''
  const missing: unknown = error.params.missingProperty
  const member = typeof missing === 'string' ? `/${missing.replaceAll('~', '~0').replaceAll('/', '~1')}` : ''
  return error.instancePath + member
}

function draftOf({ $schema }: JsonObject): keyof typeof drafts {
  if ($schema === undefined) return 'draft2020'
  const known = /^https?:\/\/json-schema\.org\/(draft-0[67]|draft\/2019-09|draft\/2020-12)\/schema#?$/
  const name = known.exec(String($schema))?.[1]
  if (name === undefined) throw new Error('the schema’s $schema is not draft 6, 7, 2019-09 or 2020-12')
  if (name === 'draft/2019-09') return 'draft2019'
  return name === 'draft/2020-12' ? 'draft2020' : 'draft7'
}

function checkSchema(draft: keyof typeof drafts, schema: JsonObject): void {
  const ajv = metaSchemas.get(draft) ?? new drafts[draft](options)
  metaSchemas.set(draft, ajv)
  if (ajv.validateSchema(schema) === true) return
  throw new Error(`the schema is not valid: ${ajv.errorsText(ajv.errors, { dataVar: 'schema' })}`)
}

/** Keywords whose value is data, not a schema. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'required', 'type'])
/** Keywords whose value is a schema for each name. */
const mapKeywords = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependentSchemas',
  'dependencies',
])
const referenceKeywords = new Set(['$ref', '$dynamicRef', '$recursiveRef'])

/** Copies a schema with a step counter in every subschema, and refuses what would leave the schema. */
function guarded(schema: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) throw new Error(`the schema is nested deeper than ${maxDepth}`)
  const copy: JsonObject = { [stepKeyword]: true }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$async' || keyword === '__proto__')
      throw new Error(`the schema has the keyword ${keyword}, which is not of JSON Schema`)
    if (referenceKeywords.has(keyword) && !String(value).startsWith('#'))
      throw new Error(`the schema refers outside of itself: ${keyword} must begin with #`)
    if (value === undefined || keyword.startsWith('x-') || keyword === 'example') continue
    if (dataKeywords.has(keyword)) copy[keyword] = value
    else if (mapKeywords.has(keyword) && isObject(value)) copy[keyword] = guardedMap(value, depth)
    else copy[keyword] = guardedValue(value, depth)
  }
  return copy
}

function guardedMap(map: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(map).map(
    ([name, value]) => [name, guardedValue(value ?? null, depth)] as const,
  )
  return Object.fromEntries(entries)
}

function guardedValue(value: Json, depth: number): Json {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? guarded(item, depth + 1) : item))
  return isObject(value) ? guarded(value, depth + 1) : value
}

/** The engine for `pattern` and `patternProperties`; the group keeps /…/ from being read as pattern and flags. */
function linearPattern(source: string): { test: (text: string) => boolean } {
  const pattern = compilePattern(`(?:${source})`)
  return { test: (text) => pattern.test(text) }
}
linearPattern.code = 'linearPattern'

/** Compares items by their text: the time grows with the array's length, not with its square. */
function areUnique(wanted: boolean, items: unknown[]): boolean {
  return !wanted || new Set(items.map(canonical)).size === items.length
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  )
}
