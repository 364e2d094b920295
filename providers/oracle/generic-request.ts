/**
 * A chat request in the generic format, which all models except Cohere's use. Dropped, since they do not change the
 * meaning: `user`, `service_tier`, `store`, `prediction`, a tool's `strict`, an image's `detail`.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/GenericChatRequest
 * Errors: `invalid_body` for unsupported parts.
 */
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import {
  defined,
  maxTokens,
  objectOf,
  readToolUse,
  refusal,
  stopSequences,
  textOf,
} from '@gateway/provider-kit'
import { genericMessages } from './generic-messages.ts'
import { defaultMaxTokens, readSampling, readStreaming } from './sampling.ts'
import { plainSchema } from './schema.ts'
import type { GenericRequest } from './wire.ts'

/** Converts a body without deprecated members. */
export function genericRequest(body: JsonObject, context: CallContext): GenericRequest {
  const { provider } = context.settings
  const model = textOf(body.model).toLowerCase()
  return {
    apiFormat: 'GENERIC',
    messages: genericMessages(body, model, provider),
    ...readSampling(body, false),
    ...readBound(body, model),
    ...readStreaming(body, context),
    ...readTools(body, provider),
    ...readFormat(body, provider),
    ...defined({
      numGenerations: typeof body.n === 'number' ? body.n : undefined,
      stop: stopSequences(body) ?? undefined,
      logProbs: readLogProbs(body),
      logitBias: isObject(body.logit_bias) ? body.logit_bias : undefined,
      metadata: isObject(body.metadata) ? body.metadata : undefined,
      reasoningEffort: effortOf(body),
      verbosity: upper(body.verbosity),
      webSearchOptions: isObject(body.web_search_options)
        ? searchOptions(body.web_search_options)
        : undefined,
    }),
  }
}

/** The limit of OpenAI's own models includes reasoning; their open models are like the others. */
function readBound(
  body: JsonObject,
  model: string,
): Pick<GenericRequest, 'maxTokens' | 'maxCompletionTokens'> {
  const bound = maxTokens(body)
  if (/^openai\.(?!gpt-oss)/.test(model)) return bound === undefined ? {} : { maxCompletionTokens: bound }
  if (bound !== undefined) return { maxTokens: bound }
  return model.startsWith('meta.') ? { maxTokens: defaultMaxTokens } : {}
}

function readTools(
  body: JsonObject,
  provider: string,
): Pick<GenericRequest, 'tools' | 'toolChoice' | 'isParallelToolCalls'> {
  const { tools, choice, named } = readToolUse(body, provider)
  if (tools.length === 0) return {}
  const isGiven = body.tool_choice !== undefined && body.tool_choice !== null
  const wanted = { auto: 'AUTO', none: 'NONE', required: 'REQUIRED' } as const
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'FUNCTION',
      name,
      ...(description === '' ? {} : { description }),
      parameters: plainSchema(parameters),
    })),
    ...(isGiven
      ? { toolChoice: named === null ? { type: wanted[choice] } : { type: 'FUNCTION', name: named } }
      : {}),
    ...(typeof body.parallel_tool_calls === 'boolean'
      ? { isParallelToolCalls: body.parallel_tool_calls }
      : {}),
  }
}

function readFormat(body: JsonObject, provider: string): Pick<GenericRequest, 'responseFormat'> {
  const format = body.response_format
  if (!isObject(format)) return {}
  if (format.type === 'text') return { responseFormat: { type: 'TEXT' } }
  if (format.type === 'json_object') return { responseFormat: { type: 'JSON_OBJECT' } }
  if (format.type !== 'json_schema') {
    throw refusal(provider, '/response_format/type', 'this format is not supported')
  }
  const { name, description, schema, strict } = objectOf(format.json_schema)
  return {
    responseFormat: {
      type: 'JSON_SCHEMA',
      jsonSchema: {
        name: textOf(name) || 'response',
        ...(typeof description === 'string' ? { description } : {}),
        ...(isObject(schema) ? { schema } : {}),
        ...(typeof strict === 'boolean' ? { isStrict: strict } : {}),
      },
    },
  }
}

/** The number of top log probabilities; any number also returns that of the chosen token. */
function readLogProbs({ logprobs, top_logprobs: top }: JsonObject): number | undefined {
  if (logprobs !== true) return undefined
  return typeof top === 'number' && top > 0 ? top : 1
}

function searchOptions({ search_context_size: size, user_location: location }: JsonObject): JsonObject {
  const approximate = isObject(location) ? objectOf(location.approximate) : {}
  return {
    ...(typeof size === 'string' ? { searchContextSize: size.toUpperCase() } : {}),
    ...(Object.keys(approximate).length === 0 ? {} : { userLocation: approximate }),
  }
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high']

/** Efforts above the vendor's maximum become its maximum; unknown values mean no effort. */
function effortOf({ reasoning_effort: effort }: JsonObject): string | undefined {
  if (effort === 'xhigh' || effort === 'max') return 'HIGH'
  return efforts.includes(textOf(effort)) ? upper(effort) : undefined
}

const upper = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.toUpperCase() : undefined
