/**
 * Sampling parameters, reasoning and what else stands in `inferenceConfig`, `outputConfig.effort` and the model's own
 * fields. `temperature` is brought to 0..1, the API's range. `thinking` passes to Anthropic's models (and to resources that
 * may be one) unless compliance is strict; `reasoning_effort` goes to the models that have a word for it.
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

/** Bounds, sampling and stop sequences, in the API's own fields. */
export function readInferenceConfig(body: JsonObject, model: string, reader: Reader): InferenceConfig {
  const { temperature, top_p: topP } = samplingOf(body, model, reader)
  return defined({
    maxTokens: maxTokens(body),
    temperature,
    topP,
    stopSequences: stopSequences(body) ?? undefined,
  })
}

/** Beside thinking a model of Anthropic's takes none. */
const samplingOf = (body: JsonObject, model: string, reader: Reader): ReturnType<typeof readSampling> =>
  mayBeClaude(model) && thinks(readThinking(body, model, reader)) ? {} : readSampling(body, model)

/** What the API leaves to the models: `top_k`, thinking and effort, each in the family's own words. */
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

/** Thinking without an effort has the middle one. */
function novaFields(body: JsonObject, effort: Effort | null, reader: Reader): JsonObject {
  const { thinking } = body
  const asked = !reader.strict && isObject(thinking) ? thinking.type : undefined
  if (asked === 'disabled') return { reasoningConfig: { type: 'disabled' } }
  if (asked === undefined && effort === null) return {}
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort: upToHigh(effort ?? 'medium') } }
}

/** The effort of Anthropic's models stands beside the output's form; without thinking it is at most high. */
export function readOutputEffort(body: JsonObject, model: string, reader: Reader): { effort?: Effort } {
  const thinking = readThinking(body, model, reader)
  const { effort } = readEffort(body, model, thinking)
  if (effort === undefined) return {}
  return { effort: thinks(thinking) ? effort : upToHigh(effort) }
}
