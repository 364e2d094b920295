/**
 * `override_params` in a body of `generateContent`, which has the generation parameters in a nested object. Names of
 * other formats set the corresponding parameters there, so one config works for callers of all formats.
 * Reference: https://ai.google.dev/api/generate-content (GenerationConfig)
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

const places: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['max_tokens', 'maxOutputTokens'],
  ['max_completion_tokens', 'maxOutputTokens'],
  ['max_output_tokens', 'maxOutputTokens'],
  ['n', 'candidateCount'],
  ['stop', 'stopSequences'],
  ['seed', 'seed'],
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['reasoning_effort', 'thinkingConfig'],
])

/** The thinking tokens of each effort, the same as for chat completions of models with this format. */
const budgets: ReadonlyMap<unknown, number> = new Map([
  ['none', 0],
  ['minimal', 1024],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
])

/** Sets these parameters in the body; `null` removes a parameter. */
export function overrideContents(body: JsonObject, params: JsonObject): JsonObject {
  const merged = { ...body }
  let config = isObject(body.generationConfig) ? body.generationConfig : {}
  if (isObject(params.generationConfig) || params.generationConfig === null)
    config = params.generationConfig ?? {}
  for (const [name, value] of Object.entries(params)) {
    const place = places.get(name)
    if (place !== undefined) config = put(config, place, value)
    else if (name === 'generationConfig') continue
    else if (value === null) delete merged[name]
    else merged[name] = value
  }
  if (Object.keys(config).length > 0) merged.generationConfig = config
  else delete merged.generationConfig
  return merged
}

function put(config: JsonObject, place: string, value: Json | undefined): JsonObject {
  const { [place]: before, ...rest } = config
  if (place === 'thinkingConfig') return { ...rest, ...withEffort(before, value) }
  if (value === null) return rest
  return { ...rest, [place]: place === 'stopSequences' && typeof value === 'string' ? [value] : value }
}

/** Whether thoughts are shown does not change. */
function withEffort(thinking: Json | undefined, effort: Json | undefined): JsonObject {
  const { thinkingBudget: _, thinkingLevel: __, ...rest } = isObject(thinking) ? thinking : {}
  const budget = budgets.get(effort)
  const set = { ...rest, ...(budget === undefined ? {} : { thinkingBudget: budget }) }
  return Object.keys(set).length === 0 ? {} : { thinkingConfig: set }
}
