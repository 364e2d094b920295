/**
 * Converts a chat completion request to a `generateContent` request. The vendor's `safety_settings`, `cached_content`
 * and `labels` are forwarded unchanged.
 * Reference: https://ai.google.dev/api/generate-content
 * Errors: `invalid_body` with the path.
 */
import type { CallContext, Json, JsonObject } from '@gateway/contract'
import { withoutLegacyFunctions } from '../../chat/legacy-functions.ts'
import { textOf } from '../../chat/values.ts'
import { formatInstruction, readGenerationConfig } from './generation-config.ts'
import { readConversation } from './messages.ts'
import { readTools } from './tools.ts'
import { type GenerateContentRequest, type Reader, toJson } from './types.ts'

/** The request body that the API takes. */
export function geminiRequest(given: JsonObject, context: CallContext): JsonObject {
  const reader: Reader = {
    provider: context.settings.provider,
    strict: context.strict,
    model: textOf(given.model),
  }
  const body = withoutLegacyFunctions(given, reader.provider)
  const { system: said, contents } = readConversation(body, reader)
  const instruction = formatInstruction(body, reader)
  const system = instruction === null ? said : [...said, { text: instruction }]
  const generationConfig = readGenerationConfig(body, reader)
  const request: GenerateContentRequest = {
    contents,
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
    ...readTools(body, reader),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...readServiceTier(body),
    ...passed('safetySettings', body.safety_settings ?? body.safetySettings),
    ...passed('cachedContent', body.cached_content ?? body.cachedContent),
    ...passed('labels', body.labels),
  }
  return toJson(request)
}

function passed<Name extends string>(name: Name, value: Json | undefined): Partial<Record<Name, Json>> {
  if (value === undefined || value === null) return {}
  const member: Partial<Record<Name, Json>> = {}
  member[name] = value
  return member
}

/** `default` is the vendor's `standard`; unsupported tiers are dropped. */
function readServiceTier({ service_tier: tier }: JsonObject): Pick<GenerateContentRequest, 'serviceTier'> {
  if (tier === 'default' || tier === 'standard') return { serviceTier: 'standard' }
  return tier === 'flex' || tier === 'priority' ? { serviceTier: tier } : {}
}
