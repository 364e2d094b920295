/** Compatible providers of Europe and America, by name. */
import type { CompatibleRow } from '@gateway/provider-kit'

export const west: readonly CompatibleRow[] = [
  {
    name: 'baseten',
    title: 'Baseten',
    docs: 'https://docs.baseten.co/reference/inference-api/chat-completions',
    baseUrl: 'https://inference.baseten.co/v1',
    endpoints: ['chatComplete'],
  },
  {
    name: 'cerebras',
    title: 'Cerebras',
    docs: 'https://inference-docs.cerebras.ai/resources/openai',
    baseUrl: 'https://api.cerebras.ai/v1',
    endpoints: ['chatComplete', 'complete'],
  },
  {
    name: 'deepinfra',
    title: 'DeepInfra',
    docs: 'https://docs.deepinfra.com/api-reference/chat-completions/openai-chat-completions',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    endpoints: ['chatComplete', 'complete', 'embed', 'imageGenerate'],
  },
  {
    name: 'featherless-ai',
    title: 'Featherless AI',
    docs: 'https://featherless.ai/docs/quickstart-guide',
    baseUrl: 'https://api.featherless.ai/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
  },
  {
    name: 'fireworks-ai',
    title: 'Fireworks AI',
    docs: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
    // Usage comes with the last content chunk, asked for or not.
    rules: { chatComplete: { usageIn: 'chunk' }, complete: { usageIn: 'chunk' } },
  },
  {
    name: 'friendli',
    title: 'Friendli',
    docs: 'https://friendli.ai/docs/openapi/model-apis/chat-completions',
    baseUrl: 'https://api.friendli.ai/serverless/v1',
    endpoints: ['chatComplete', 'complete'],
  },
  {
    name: 'groq',
    title: 'Groq',
    docs: 'https://console.groq.com/docs/openai',
    baseUrl: 'https://api.groq.com/openai/v1',
    endpoints: ['chatComplete'],
    // The last chunk holds `x_groq: {usage}`; `x_groq.error` tells why a stream was cut.
    rules: { chatComplete: { usageIn: 'x_groq', drops: ['stream_options'] } },
  },
  {
    name: 'hyperbolic',
    title: 'Hyperbolic',
    docs: 'https://docs.hyperbolic.ai/inference/text-apis',
    baseUrl: 'https://api.hyperbolic.xyz/v1',
    endpoints: ['chatComplete', 'complete'],
  },
  {
    name: 'inference-net',
    title: 'Inference.net',
    docs: 'https://docs.inference.net/',
    baseUrl: 'https://api.inference.net/v1',
    endpoints: ['chatComplete'],
  },
  {
    name: 'kluster-ai',
    title: 'kluster.ai',
    docs: 'https://docs.kluster.ai/api-reference/reference/',
    baseUrl: 'https://api.kluster.ai/v1',
    endpoints: ['chatComplete'],
  },
  {
    name: 'lambda',
    title: 'Lambda',
    docs: 'https://docs.lambda.ai/public-cloud/lambda-inference-api/',
    baseUrl: 'https://api.lambda.ai/v1',
    endpoints: ['chatComplete', 'complete'],
  },
  {
    name: 'mistral-ai',
    title: 'Mistral AI',
    docs: 'https://docs.mistral.ai/api',
    baseUrl: 'https://api.mistral.ai/v1',
    endpoints: ['chatComplete', 'embed'],
    // It refuses fields that it does not know; usage comes with the last chunk.
    rules: {
      chatComplete: {
        renames: { seed: 'random_seed', max_completion_tokens: 'max_tokens' },
        drops: ['stream_options', 'user'],
        usageIn: 'chunk',
        finishReasons: { model_length: 'length' },
      },
      embed: { renames: { dimensions: 'output_dimension' }, drops: ['user'] },
    },
  },
  {
    name: 'nebius',
    title: 'Nebius Token Factory',
    docs: 'https://docs.tokenfactory.nebius.com/api-reference/inference/create-chat-completion',
    baseUrl: 'https://api.tokenfactory.nebius.com/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
  },
  {
    name: 'novita-ai',
    title: 'Novita AI',
    docs: 'https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion',
    baseUrl: 'https://api.novita.ai/openai/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
    rules: { chatComplete: { renames: { max_completion_tokens: 'max_tokens' } } },
  },
  {
    name: 'nscale',
    title: 'Nscale',
    docs: 'https://docs.nscale.com/docs/use-cases/chat',
    baseUrl: 'https://inference.api.nscale.com/v1',
    endpoints: ['chatComplete', 'imageGenerate'],
  },
  {
    name: 'openrouter',
    title: 'OpenRouter',
    docs: 'https://openrouter.ai/docs/api-reference/overview',
    baseUrl: 'https://openrouter.ai/api/v1',
    endpoints: ['chatComplete', 'embed'],
  },
  {
    name: 'ovhcloud',
    title: 'OVHcloud AI Endpoints',
    docs: 'https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/',
    baseUrl: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
    endpoints: ['chatComplete'],
  },
  {
    name: 'perplexity-ai',
    title: 'Perplexity',
    docs: 'https://docs.perplexity.ai/api-reference/chat-completions-post',
    // Without a version segment, as the vendor writes it.
    baseUrl: 'https://api.perplexity.ai',
    endpoints: ['chatComplete'],
    // Every chunk carries the usage so far.
    rules: {
      chatComplete: {
        renames: { max_completion_tokens: 'max_tokens' },
        drops: ['stream_options'],
        usageIn: 'chunk',
      },
    },
  },
  {
    name: 'sambanova',
    title: 'SambaNova',
    docs: 'https://docs.sambanova.ai/cloud/api-reference/endpoints/chat',
    baseUrl: 'https://api.sambanova.ai/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
  },
  {
    name: 'together-ai',
    title: 'Together AI',
    docs: 'https://docs.together.ai/reference/chat-completions',
    baseUrl: 'https://api.together.ai/v1',
    endpoints: ['chatComplete', 'complete', 'embed', 'rerank'],
    rules: {
      chatComplete: {
        renames: { max_completion_tokens: 'max_tokens' },
        usageIn: 'chunk',
        finishReasons: { eos: 'stop' },
      },
      complete: { usageIn: 'chunk', finishReasons: { eos: 'stop' } },
    },
  },
  {
    name: 'x-ai',
    title: 'xAI',
    docs: 'https://docs.x.ai/developers/rest-api-reference/inference',
    baseUrl: 'https://api.x.ai/v1',
    endpoints: ['chatComplete', 'imageGenerate'],
  },
]
