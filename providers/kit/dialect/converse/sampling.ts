/**
 * Sampling parameters, reasoning and the rest of `inferenceConfig`, `outputConfig.effort` and the model's own fields.
 * `temperature` is clamped to the API's range 0..1. `thinking` is sent to Anthropic models (and to resources that may
 * be one) unless compliance is strict; `reasoning_effort` is sent to models that support it.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-reasoning.html,
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
 */
import { asJson, isObject, type JsonObject } from '@gateway/contract'
import { maxTokens, stopSequences } from '../../chat/content.ts'
import { defined } from '../../chat/values.ts'
import {
  type Effort,
  effortOf,
  readEffort,
  readSampling,
  readThinking,
  thinks,
  upToHigh,
} from '../anthropic/sampling.ts'
import type { Reader } from '../anthropic/types.ts'
import { familyOf, mayBeClaude } from './models.ts'
import type { WireRequest } from './types.ts'

type InferenceConfig = NonNullable<WireRequest['inferenceConfig']>

/** Token limit, sampling and stop sequences, in the API's own fields. */
export function readInferenceConfig(body: JsonObject, model: string, reader: Reader): InferenceConfig {
  const { temperature, top_p: topP } = samplingOf(body, model, reader)
  return defined({
    maxTokens: maxTokens(body),
    temperature,
    topP,
    stopSequences: stopSequences(body) ?? undefined,
  })
}

/** Anthropic models accept no sampling parameters with thinking. */
const samplingOf = (body: JsonObject, model: string, reader: Reader): ReturnType<typeof readSampling> =>
  mayBeClaude(model) && thinks(readThinking(body, model, reader)) ? {} : readSampling(body, model)

/** Model-specific parameters: `top_k`, thinking and effort, each in the family's own fields. */
export function readModelFields(body: JsonObject, model: string, reader: Reader): JsonObject {
  const { top_k } = samplingOf(body, model, reader)
  return {
    ...(top_k === undefined ? {} : familyOf(model).topK(top_k)),
    ...reasoningFields(body, model, reader),
  }
}

function reasoningFields(body: JsonObject, model: string, reader: Reader): JsonObject {
  const effort = effortOf(body)
  if (/amazon\.nova-2/.test(model)) return novaFields(body, effort, reader)
  if (/openai\./.test(model)) {
    if (effort === null) return {}
    return /gpt-oss/.test(model) ? { reasoning_effort: upToHigh(effort) } : { reasoning: { effort } }
  }
  if (!mayBeClaude(model)) return {}
  const thinking = readThinking(body, model, reader)
  return thinking === null ? {} : { thinking: asJson(thinking) }
}

/** Thinking without an effort uses the medium one. */
function novaFields(body: JsonObject, effort: Effort | null, reader: Reader): JsonObject {
  const { thinking } = body
  const asked = !reader.strict && isObject(thinking) ? thinking.type : undefined
  if (asked === 'disabled') return { reasoningConfig: { type: 'disabled' } }
  if (asked === undefined && effort === null) return {}
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort: upToHigh(effort ?? 'medium') } }
}

/** The effort of Anthropic models is next to the output format; without thinking it is at most high. */
export function readOutputEffort(body: JsonObject, model: string, reader: Reader): { effort?: Effort } {
  const thinking = readThinking(body, model, reader)
  const { effort } = readEffort(body, model, thinking)
  if (effort === undefined) return {}
  return { effort: thinks(thinking) ? effort : upToHigh(effort) }
}
