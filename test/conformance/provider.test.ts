/** Every discovered provider passes the suite of all providers. */
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { discover } from '#core/discovery/discover'
import { describeProvider } from './provider.ts'
import { openProviderScene } from './provider-scene.ts'

/** This file is `test/dist/conformance/provider.test.js`. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const { registry, faults } = await discover({ packages: [], disabled: [], directory: root })

/** Contract section 6. */
const names =
  `openai azure-openai azure-ai anthropic bedrock vertex-ai google cohere mistral-ai groq together-ai
  fireworks-ai openrouter perplexity-ai deepseek x-ai cerebras sambanova nebius deepinfra novita-ai huggingface ollama
  vllm jina voyage nomic stability-ai workers-ai ai21 reka-ai oracle replicate moonshot zhipu z-ai dashscope
  siliconflow lambda hyperbolic github upstage databricks pinecone lingyi featherless-ai kluster-ai nscale
  inference-net ovhcloud krutrim segmind recraft-ai friendli baseten minimax echo`.split(/\s+/)

describe('providers', () => {
  it('are discovered without an error, including every provider id in the contract', () => {
    expect(faults).to.deep.equal([])
    expect([...registry.providers.keys()]).to.include.members(names)
  })

  const scene = openProviderScene()
  const tried = new Set<string>()
  for (const adapter of registry.providers.values()) describeProvider(adapter, scene, tried)
})
