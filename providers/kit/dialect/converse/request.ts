/**
 * Converts a chat completion request to a Converse request. Unsupported parameters are dropped (`seed`, `logit_bias`,
 * `logprobs`, penalties, …), or refused if dropping them would change the meaning: several choices, tools that are
 * not functions. The vendor's own parameters (`guardrailConfig`, `additionalModelRequestFields`, …) are forwarded
 * unchanged.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 * Errors: `invalid_body` with the path.
 */
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import { usesLegacyFunctions, withoutLegacyFunctions } from '../../chat/legacy-functions.ts'
import { refuseWebSearch, requireOneText } from '../../chat/one-text.ts'
import { withoutTrailingSpace } from '../../chat/prefill.ts'
import { textOf } from '../../chat/values.ts'
import { withCachePoints } from './cache-points.ts'
import { documentNames } from './document-names.ts'
import { readConversation } from './messages.ts'
import { mayBeClaude } from './models.ts'
import { readOutputForm } from './output.ts'
import { readInferenceConfig, readModelFields, readOutputEffort } from './sampling.ts'
import { readTools } from './tools.ts'
import { type Reader, toJson, type WireRequest } from './types.ts'

/** The request body that the API takes. */
export function converseRequest(given: JsonObject, context: CallContext): JsonObject {
  const { provider } = context.settings
  requireOneText(given, provider)
  refuseWebSearch(given, provider)
  const model = textOf(given.model)
  const current = withoutLegacyFunctions(given, provider)
  const body = mayBeClaude(model) ? withoutTrailingSpace(current) : current
  // The deprecated form supports one call only.
  const isSingle = usesLegacyFunctions(given) || body.parallel_tool_calls === false
  const tools = readTools(body, { model, provider, isSingle })
  const form = readOutputForm(body, context)
  const toolConfig = tools.config ?? form.toolConfig
  const { strict } = context
  const reader: Reader = { provider, strict, names: documentNames(), hasTools: toolConfig !== null }
  const { system, messages } = readConversation(body, reader)
  const prompt = form.instruction === null ? system : [...system, { text: form.instruction }]
  const inferenceConfig = readInferenceConfig(body, model, reader)
  const fields = { ...readModelFields(body, model, reader), ...tools.fields }
  const outputConfig = {
    ...(form.textFormat === null ? {} : { textFormat: form.textFormat }),
    ...readOutputEffort(body, model, reader),
  }
  const request: WireRequest = {
    messages,
    ...(prompt.length === 0 ? {} : { system: prompt }),
    ...(toolConfig === null ? {} : { toolConfig }),
    ...(isEmpty(inferenceConfig) ? {} : { inferenceConfig }),
    ...(isEmpty(fields) ? {} : { additionalModelRequestFields: fields }),
    ...(isEmpty(outputConfig) ? {} : { outputConfig }),
    ...readServiceTier(body),
  }
  return withCachePoints(withVendorParameters(toJson(request), body), model, context)
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0

const tiers = ['default', 'flex', 'priority', 'reserved'] as const

/** `auto` is the API's default. */
function readServiceTier({ service_tier: named }: JsonObject): Pick<WireRequest, 'serviceTier'> {
  const type = tiers.find((tier) => tier === named)
  return type === undefined ? {} : { serviceTier: { type } }
}

/** In the vendor's spelling, and in snake_case. */
const vendorParameters: readonly [name: string, alias: string][] = [
  ['additionalModelRequestFields', 'additional_model_request_fields'],
  ['additionalModelResponseFieldPaths', 'additional_model_response_field_paths'],
  ['guardrailConfig', 'guardrail_config'],
  ['outputConfig', 'output_config'],
  ['performanceConfig', 'performance_config'],
  ['promptVariables', 'prompt_variables'],
  ['requestMetadata', 'request_metadata'],
  ['serviceTier', 'serviceTier'],
]

/** The caller's members override translated ones. */
function withVendorParameters(request: JsonObject, body: JsonObject): JsonObject {
  const merged = { ...request }
  for (const [name, alias] of vendorParameters) {
    const given = body[name] ?? body[alias]
    if (given === undefined || given === null) continue
    const own = merged[name]
    merged[name] = isObject(own) && isObject(given) ? { ...own, ...given } : given
  }
  return merged
}
