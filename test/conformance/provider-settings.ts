/** The calls of each adapter in the suite: the settings of its target, and the models that select its dialects. */
import type { InferenceEndpoint } from '@gateway/contract'
import type { Feature } from './vendors/vendor.ts'

/** The credential of every target; it must reach the vendor, or no part of it if the provider uses none. */
export const secret = 'sk-conformance-0123456789'

type Settings = (origin: string) => Record<string, unknown>

/** Members in addition to `provider`; most need a key and a host with its version segment. */
const settings: Readonly<Record<string, Settings>> = {
  bedrock: (origin) => ({
    cloudA_access_key_id: 'AKIDCONFORMANCE',
    cloudA_secret_access_key: secret,
    cloudA_region: 'eu-central-1',
    custom_host: origin,
  }),
  echo: () => ({}),
  cohere: (origin) => ({ api_key: secret, custom_host: `${origin}/v2` }),
  google: (origin) => ({ api_key: secret, custom_host: `${origin}/v1beta` }),
  openrouter: (origin) => ({ api_key: secret, custom_host: `${origin}/api/v1` }),
  pinecone: (origin) => ({ api_key: secret, custom_host: origin }),
  'stability-ai': (origin) => ({ api_key: secret, custom_host: origin }),
  'workers-ai': (origin) => ({ api_key: secret, custom_host: `${origin}/ai/run` }),
  'vertex-ai': (origin) => ({
    api_key: secret,
    cloudC_project_id: 'project-1',
    cloudC_region: 'europe-west4',
    custom_host: `${origin}/v1`,
  }),
}

/** Credentials that only the config file can hold. */
const stored: Readonly<Record<string, Settings>> = {
  oracle: (origin) => ({
    api_key: secret,
    custom_host: origin,
    configurations: { oracle_compartment_id: 'ocid1.compartment.oc1..a', oracle_region: 'eu-frankfurt-1' },
  }),
}

/** Models that lead to different dialects of one adapter. */
const models: Readonly<Record<string, Partial<Record<InferenceEndpoint, readonly string[]>>>> = {
  bedrock: {
    chatComplete: ['anthropic.claude-sonnet-4-6', 'amazon.nova-pro-v1:0'],
    complete: ['meta.llama3-70b-instruct-v1:0', 'mistral.mistral-7b-instruct-v0:2', 'deepseek.r1-v1:0'],
    embed: ['amazon.titan-embed-text-v2:0', 'amazon.nova-2-multimodal-embeddings-v1:0', 'cohere.embed-v4:0'],
    imageGenerate: ['amazon.nova-canvas-v1:0', 'stability.sd3-5-large-v1:0'],
    rerank: ['cohere.rerank-v3-5:0'],
  },
  google: { chatComplete: ['gemini-2.5-flash'], embed: ['gemini-embedding-001'] },
  oracle: { chatComplete: ['xai.grok-4'] },
  'reka-ai': { chatComplete: ['reka-core', 'reka-flash-research'] },
  'workers-ai': {
    chatComplete: ['@cf/meta/llama-3.3-70b-instruct-fp8-fast'],
    complete: ['@cf/meta/llama-3.3-70b-instruct-fp8-fast'],
    embed: ['@cf/baai/bge-m3'],
    imageGenerate: ['@cf/black-forest-labs/flux-1-schnell'],
  },
  'vertex-ai': {
    chatComplete: [
      'gemini-2.5-flash',
      'anthropic/claude-sonnet-4-6',
      'mistralai/mistral-small-2503',
      'meta/llama-4-maverick-17b-128e-instruct-maas',
      'endpoints/123',
    ],
    embed: ['text-embedding-005'],
    imageGenerate: ['imagen-4.0-generate-001', 'gemini-2.5-flash-image'],
  },
  'stability-ai': {
    imageGenerate: ['stable-image-core', 'sd3.5-large', 'stable-diffusion-xl-1024-v1-0'],
  },
}

/** Features that single adapters lack although their dialect has them; each adapter refuses them. */
const lacks: Readonly<Record<string, readonly Feature[]>> = { 'perplexity-ai': ['tools'] }

/** The target of an adapter for a vendor at this origin. */
export function targetOf(adapter: string, origin: string): Record<string, unknown> {
  if (Object.hasOwn(stored, adapter)) return { provider: `@${adapter}` }
  const own = settings[adapter] ?? ((at: string) => ({ api_key: secret, custom_host: `${at}/v1` }))
  return { provider: adapter, ...own(origin) }
}

/** `providers` of the config file, for a vendor at this origin. */
export const storedCredentials = (origin: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(stored).map(([provider, own]) => [provider, { provider, ...own(origin) }]),
  )

export const modelsOf = (adapter: string, endpoint: InferenceEndpoint): readonly string[] =>
  models[adapter]?.[endpoint] ?? ['test-model']

export const lacksOf = (adapter: string): readonly Feature[] => lacks[adapter] ?? []
