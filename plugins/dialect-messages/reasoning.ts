/**
 * `thinking` and `output_config` → `thinking`, `reasoning_effort` and `response_format`. `thinking` is forwarded
 * unchanged to providers that define it. For other providers, and under strict compliance, its budget becomes an
 * effort.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/extended-thinking, …/effort, …/structured-outputs
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { isStrict, type Reader } from '@gateway/contract/dialect'

/** The maximum thinking tokens of each effort. */
const efforts: readonly [budget: number, effort: string][] = [
  [4095, 'low'],
  [16_383, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
]

/** The reasoning parameters. */
export function readReasoning(body: JsonObject, { parameters, strict, leftOut }: Reader): JsonObject {
  const thinking = isObject(body.thinking) ? body.thinking : null
  const isDefined = parameters.has('thinking')
  const needsEffort = thinking !== null && (strict || !isDefined)
  const effort = effortOf(body.output_config) ?? (needsEffort ? effortOfBudget(thinking) : null)
  if (thinking !== null && !isDefined && effort === null) leftOut.push('/thinking')
  return {
    ...(thinking === null || !isDefined ? {} : { thinking }),
    ...(effort === null ? {} : { reasoning_effort: effort }),
  }
}

function effortOf(config: Json | undefined): string | null {
  const effort = isObject(config) ? config.effort : null
  if (typeof effort !== 'string') return null
  // The highest effort of chat completions is `xhigh`.
  return effort === 'max' ? 'xhigh' : effort
}

function effortOfBudget({ type, budget_tokens: budget }: JsonObject): string | null {
  if (type !== 'enabled' || typeof budget !== 'number') return null
  return efforts.find(([most]) => budget <= most)?.[1] ?? null
}

/** The required answer format. During the beta, it was named `output_format`. */
export function readFormat(body: JsonObject): JsonObject {
  const format = isObject(body.output_config) ? body.output_config.format : null
  const wanted = [format, body.output_format].find(isObject)
  if (wanted === undefined || wanted.type !== 'json_schema' || !isObject(wanted.schema)) return {}
  const { schema } = wanted
  const strict = isStrict(schema) ? { strict: true } : {}
  return { response_format: { type: 'json_schema', json_schema: { name: 'output', schema, ...strict } } }
}
