/** Differences of single vendors of the compatible format; the sources are the `docs` of their rows. */
import type { JsonObject } from '@gateway/contract'

/**
 * The place of a stream's usage: in every chunk, in the last one with content, in a separate chunk even if it was not
 * requested, or under a key of the last chunk; by adapter, or by adapter and model. Default: in a separate chunk, if it
 * was requested.
 */
export const usagePlaces: Readonly<Record<string, string>> = {
  cerebras: 'last',
  'fireworks-ai': 'last',
  groq: 'x_groq',
  minimax: 'last',
  'mistral-ai': 'last',
  openrouter: 'own',
  'perplexity-ai': 'every',
  siliconflow: 'every',
  'together-ai': 'last',
  'vertex-ai mistralai/mistral-small-2503': 'last',
  'x-ai': 'last',
  'z-ai': 'last',
  zhipu: 'last',
}

/** The finish reason for a natural end. */
export const finishReasons: Readonly<Record<string, string>> = { 'together-ai': 'eos', siliconflow: 'eos' }

/** Members in addition to those of the format, in whole answers and in chunks. */
export const moreOfAnswer: Readonly<Record<string, JsonObject>> = {
  minimax: { base_resp: { status_code: 0, status_msg: '' } },
  'perplexity-ai': { citations: ['https://a.example/'], search_results: [{ url: 'https://a.example/' }] },
}

/** Text completions in the form of a chat. */
export const textAsChat: ReadonlySet<string> = new Set(['mistral-ai'])

/** Usage of embeddings in another form. */
export const embeddingUsage: Readonly<Record<string, (tokens: number) => JsonObject>> = {
  voyage: (tokens) => ({ total_tokens: tokens }),
}

const inOwnForm = (image: string, request: Record<string, unknown>): JsonObject =>
  ['b64_json', 'base64'].includes(String(request.response_format))
    ? { b64_json: image }
    : { url: 'https://images.example/1.png' }

/** Answers of image endpoints in another form; the image is base64. */
export const imageAnswers: Readonly<
  Record<string, (image: string, request: Record<string, unknown>) => JsonObject>
> = {
  hyperbolic: (image) => ({ images: [{ index: 0, image, random_seed: 7 }], inference_time: 0.8 }),
  nebius: (image, request) => ({ id: 'i1', data: [inOwnForm(image, request)] }),
  nscale: (image) => ({ data: [{ b64_json: image }] }),
  siliconflow: () => ({
    images: [{ url: 'https://images.example/1.png' }],
    timings: { inference: 0.8 },
    seed: 7,
  }),
  'together-ai': (image, request) => ({
    id: 'i1',
    model: 'test-model',
    object: 'list',
    data: [{ index: 0, ...inOwnForm(image, request) }],
  }),
}

/** Vendors that know the role `developer`; the others refuse it, or ignore its messages. */
export const knowDeveloper: ReadonlySet<string> = new Set([
  'azure-ai',
  'azure-openai',
  'github',
  'openai',
  'openrouter',
])

const newer = ['prompt_cache_key', 'safety_identifier', 'service_tier', 'verbosity']

/** Parameters that a vendor defines and others refuse; without an entry: none. */
export const definedParameters: Readonly<Record<string, readonly string[]>> = {
  'azure-openai': newer,
  baseten: ['top_k'],
  dashscope: ['cache_control', 'top_k'],
  databricks: ['top_k'],
  deepinfra: ['top_k'],
  'featherless-ai': ['top_k'],
  'fireworks-ai': ['prompt_cache_key', 'top_k'],
  friendli: ['top_k'],
  groq: ['service_tier'],
  minimax: ['service_tier'],
  'mistral-ai': ['prompt_cache_key'],
  moonshot: ['prompt_cache_key', 'safety_identifier'],
  nebius: ['top_k'],
  'novita-ai': ['top_k'],
  openai: newer,
  openrouter: ['cache_control', ...newer, 'top_k'],
  ovhcloud: ['top_k'],
  sambanova: ['top_k'],
  siliconflow: ['top_k'],
  'together-ai': ['top_k'],
  vllm: ['top_k'],
}
