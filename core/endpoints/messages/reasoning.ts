/**
 * `thinking` and `output_config` → `thinking`, `reasoning_effort` and `response_format`. `thinking` goes on as it is,
 * but under strict compliance a provider gets none of it: there the budget becomes an effort, which is what the unified
 * request has. Reference: https://platform.claude.com/docs/en/build-with-claude/extended-thinking, …/effort,
 * …/structured-outputs
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Reader } from './refuse.ts'

/** Tokens of thinking up to which an effort is meant. */
const efforts: readonly [budget: number, effort: string][] = [
  [4095, 'low'],
  [16_383, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
]

/** How much the model may think. */
export function readReasoning(body: JsonObject, { strict }: Reader): JsonObject {
  const thinking = isObject(body.thinking) ? body.thinking : null
  const effort =
    effortOf(body.output_config) ?? (strict && thinking !== null ? effortOfBudget(thinking) : null)
  return {
    ...(thinking === null ? {} : { thinking }),
    ...(effort === null ? {} : { reasoning_effort: effort }),
  }
}

function effortOf(config: Json | undefined): string | null {
  const effort = isObject(config) ? config.effort : null
  if (typeof effort !== 'string') return null
  // The highest that the unified request has a word for.
  return effort === 'max' ? 'xhigh' : effort
}

function effortOfBudget({ type, budget_tokens: budget }: JsonObject): string | null {
  if (type !== 'enabled' || typeof budget !== 'number') return null
  return efforts.find(([most]) => budget <= most)?.[1] ?? null
}

/** The form that the answer must have. `output_format` is the name that it had while it was a beta. */
export function readFormat(body: JsonObject): JsonObject {
  const format = isObject(body.output_config) ? body.output_config.format : null
  const wanted = [format, body.output_format].find(isObject)
  if (wanted === undefined || wanted.type !== 'json_schema' || !isObject(wanted.schema)) return {}
  const { schema } = wanted
  const strict = isStrict(schema) ? { strict: true } : {}
  return { response_format: { type: 'json_schema', json_schema: { name: 'output', schema, ...strict } } }
}

/** Whether a schema is within what `strict: true` takes: objects are closed and all their members are required. */
function isStrict(schema: Json | undefined): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isObject(schema)) return true
  const { properties, required } = schema
  if (schema.type === 'object' || isObject(properties)) {
    const names = Array.isArray(required) ? required : []
    const isClosed = schema.additionalProperties === false
    if (
      !isClosed ||
      !Object.keys(isObject(properties) ? properties : {}).every((name) => names.includes(name))
    )
      return false
  }
  const { enum: _, const: __, default: ___, examples: ____, ...members } = schema
  return Object.values(members).every(isStrict)
}
