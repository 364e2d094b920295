/**
 * The wire formats of text completion models, as data.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-meta.html,
 * …/model-parameters-mistral-text-completion.html, …/model-parameters-deepseek.html
 */
import type { Json, JsonObject } from '@gateway/contract'
import { clamped, defined, objectsOf, pick } from '@gateway/provider-kit'

/** The text or a part of it, and the stop reason. */
export interface Piece {
  text: string
  /** Null while the text continues. */
  stopReason: Json
}

export interface CompletionFamily {
  name: string
  models: RegExp
  hasStop: boolean
  body(prompt: string, stop: readonly string[], request: JsonObject): JsonObject
  /** Null for an event or an answer without text. */
  piece(answer: JsonObject): Piece | null
  /** Token counts in the body, in the format of the stream's metrics. */
  counts?(answer: JsonObject): JsonObject
}

const sampling = (request: JsonObject): JsonObject =>
  defined({ temperature: clamped(request.temperature, 0, 1), top_p: clamped(request.top_p, 0, 1) })

const bound = (name: string, { max_tokens: tokens }: JsonObject): JsonObject =>
  typeof tokens === 'number' ? { [name]: tokens } : {}

const usualBody: CompletionFamily['body'] = (prompt, stop, request) => ({
  prompt,
  ...bound('max_tokens', request),
  ...sampling(request),
  ...(stop.length === 0 ? {} : { stop: [...stop] }),
})

/** The first of a list of texts, each with its stop reason. */
function firstOf(list: Json | undefined): Piece | null {
  const [first] = objectsOf(list)
  if (typeof first?.text !== 'string') return null
  return { text: first.text, stopReason: first.stop_reason ?? null }
}

export const completionFamilies: readonly CompletionFamily[] = [
  {
    name: 'meta',
    models: /meta\.llama/,
    hasStop: false,
    body: (prompt, _stop, request) => ({ prompt, ...bound('max_gen_len', request), ...sampling(request) }),
    piece: ({ generation, stop_reason: stopReason = null }) =>
      typeof generation === 'string' ? { text: generation, stopReason } : null,
    counts: ({ prompt_token_count: inputTokenCount, generation_token_count: outputTokenCount }) =>
      pick({ inputTokenCount, outputTokenCount }, ['inputTokenCount', 'outputTokenCount']),
  },
  {
    name: 'mistral',
    models: /mistral\.(?:mistral-7b|mixtral|mistral-small-2402|mistral-large-2402)/,
    hasStop: true,
    body: usualBody,
    piece: ({ outputs }) => firstOf(outputs),
  },
  {
    name: 'deepseek',
    models: /deepseek\.r1/,
    hasStop: true,
    body: usualBody,
    piece: ({ choices }) => firstOf(choices),
  },
]
