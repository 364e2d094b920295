/** Compatible providers of Europe and America, by name: I to Z. */
import {
  audioEndpoints,
  type CompatibleRow,
  newerParameters,
  nineCharacters,
  nineOfMistral,
  systemRole,
} from '@gateway/provider-kit'
import { answerMembers, fileUpload, maxTokens, modelList, vllmExtras } from './shared.ts'

/** Image sizes that the provider supports. */
const grokRatios = ['1:1', '3:4', '4:3', '9:16', '16:9', '2:3', '3:2', '1:2', '2:1', '9:20', '20:9'] as const

export const westItoZ: readonly CompatibleRow[] = [
  {
    name: 'inference-net',
    title: 'Inference.net',
    docs: 'https://docs.inference.net/',
    baseUrl: 'https://api.inference.net/v1',
    endpoints: ['chatComplete'],
    own: { ...modelList },
    rules: { chatComplete: systemRole },
  },
  {
    name: 'kluster-ai',
    title: 'kluster.ai',
    docs: 'https://docs.kluster.ai/api-reference/reference/',
    baseUrl: 'https://api.kluster.ai/v1',
    endpoints: ['chatComplete', 'embed'],
    own: { ...modelList, ...fileUpload },
    rules: { chatComplete: systemRole },
    remarks: ['The vendor has joined MITO; its inference service may have ended.'],
  },
  {
    name: 'lambda',
    title: 'Lambda',
    docs: 'https://docs.lambda.ai/public-cloud/lambda-inference-api/',
    baseUrl: 'https://api.lambda.ai/v1',
    endpoints: ['chatComplete', 'complete'],
    own: { ...modelList },
    rules: { chatComplete: systemRole },
    remarks: ['The older base URL `https://api.lambdalabs.com/v1` can be given as `custom_host`.'],
  },
  {
    name: 'mistral-ai',
    priceList: 'mistral',
    title: 'Mistral AI',
    docs: 'https://docs.mistral.ai/api/endpoint/chat',
    baseUrl: 'https://api.mistral.ai/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
    own: { ...modelList },
    // Fill-in-the-middle, with or without a suffix, is its only text completion; the answer has the chat format.
    paths: { complete: '/fim/completions' },
    rules: {
      // The provider refuses unknown fields; the last chunk contains the usage.
      chatComplete: {
        ...systemRole,
        renames: { ...maxTokens, seed: 'random_seed' },
        drops: ['stream_options', 'user', 'logit_bias', 'logprobs', 'top_logprobs'],
        messageDrops: ['name', ...answerMembers],
        toolCallIds: [nineCharacters],
        ranges: { temperature: [0, 1.5] },
        usageIn: 'chunk',
        finishReasons: { model_length: 'length' },
      },
      complete: {
        renames: { seed: 'random_seed' },
        only: { n: 1, best_of: 1, echo: false },
        drops: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'stream_options', 'user'],
        ranges: { temperature: [0, 1.5] },
        usageIn: 'chunk',
        finishReasons: { model_length: 'length' },
        answersAsChat: true,
      },
      embed: { renames: { dimensions: 'output_dimension' }, drops: ['user'] },
    },
    extras: {
      chatComplete: ['safe_prompt', 'prompt_mode', 'guardrails', 'prediction', 'prompt_cache_key'],
      complete: ['suffix', 'min_tokens'],
      embed: ['output_dtype'],
    },
    remarks: ['Text completions are fill-in-the-middle (`/fim/completions`), with or without a `suffix`.'],
  },
  {
    name: 'nebius',
    title: 'Nebius Token Factory',
    docs: 'https://docs.tokenfactory.nebius.com/api-reference/inference/create-chat-completion',
    baseUrl: 'https://api.tokenfactory.nebius.com/v1',
    endpoints: ['chatComplete', 'complete', 'embed', 'imageGenerate'],
    own: { ...modelList },
    rules: {
      chatComplete: systemRole,
      imageGenerate: {
        drops: ['quality', 'style', 'user'],
        size: { width: 'width', height: 'height' },
        images: 'data',
      },
    },
    extras: {
      chatComplete: vllmExtras,
      imageGenerate: ['num_inference_steps', 'negative_prompt', 'seed', 'response_extension'],
    },
    remarks: ['The older base URL `https://api.studio.nebius.com/v1` can be given as `custom_host`.'],
  },
  {
    name: 'novita-ai',
    priceList: 'novita',
    title: 'Novita AI',
    docs: 'https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion',
    baseUrl: 'https://api.novita.ai/openai/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
    own: { ...modelList },
    rules: {
      chatComplete: { ...systemRole, renames: maxTokens, thinking: { switch: 'enable_thinking' } },
    },
    extras: { chatComplete: ['top_k', 'min_p', 'repetition_penalty', 'separate_reasoning'] },
  },
  {
    name: 'nscale',
    title: 'Nscale',
    docs: 'https://docs.nscale.com/docs/use-cases/chat',
    baseUrl: 'https://inference.api.nscale.com/v1',
    endpoints: ['chatComplete', 'imageGenerate'],
    own: { ...modelList },
    rules: {
      chatComplete: systemRole,
      imageGenerate: { drops: ['quality', 'style', 'user', 'response_format'], images: 'data' },
    },
    remarks: ['Images are returned as bytes.'],
  },
  {
    name: 'openrouter',
    title: 'OpenRouter',
    docs: 'https://openrouter.ai/docs/api-reference/overview',
    baseUrl: 'https://openrouter.ai/api/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
    own: { ...modelList },
    rules: {
      // The last event always contains the usage.
      chatComplete: {
        thinking: { switch: 'reasoning.enabled', budget: 'reasoning.max_tokens' },
        toolCallIds: [nineOfMistral],
        usageIn: 'chunk',
      },
      complete: { usageIn: 'chunk' },
    },
    extras: {
      chatComplete: [
        'models',
        'provider',
        'plugins',
        'reasoning',
        'transforms',
        'top_k',
        'min_p',
        'top_a',
        'cache_control',
        ...newerParameters,
      ],
    },
    remarks: [
      'Answers contain the provider’s `reasoning`, `reasoning_details` and `native_finish_reason`.',
      '`HTTP-Referer` and `X-Title`, which name an application in its rankings, are forwarded when `forward_headers` lists them.',
    ],
  },
  {
    name: 'ovhcloud',
    title: 'OVHcloud AI Endpoints',
    docs: 'https://www.ovhcloud.com/en/public-cloud/ai-endpoints/catalog/',
    baseUrl: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
    endpoints: ['chatComplete', 'embed'],
    own: { ...modelList },
    rules: { chatComplete: systemRole },
    extras: { chatComplete: vllmExtras },
  },
  {
    name: 'perplexity-ai',
    priceList: 'perplexity',
    title: 'Perplexity',
    docs: 'https://docs.perplexity.ai/api-reference/sonar-post',
    // The vendor's base URL has no version segment.
    baseUrl: 'https://api.perplexity.ai',
    endpoints: ['chatComplete'],
    rules: {
      // Every chunk contains the usage so far.
      chatComplete: {
        ...systemRole,
        renames: maxTokens,
        refuses: ['tools', 'functions'],
        drops: ['stream_options', 'user', 'seed', 'logit_bias', 'logprobs', 'top_logprobs'],
        usageIn: 'chunk',
      },
    },
    extras: {
      chatComplete: [
        'web_search_options',
        'search_mode',
        'search_domain_filter',
        'search_recency_filter',
        'return_images',
        'return_related_questions',
        'disable_search',
      ],
    },
    remarks: ['`citations`, `search_results`, `images` and `related_questions` of an answer are kept.'],
  },
  {
    name: 'sambanova',
    title: 'SambaNova',
    docs: 'https://docs.sambanova.ai/cloud/api-reference/endpoints/chat',
    baseUrl: 'https://api.sambanova.ai/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
    own: { ...modelList },
    rules: { chatComplete: systemRole },
    inlines: ['chatComplete'],
    extras: { chatComplete: ['top_k', 'do_sample', 'chat_template_kwargs'] },
    remarks: ['Images by URL are fetched first: the provider accepts only bytes.'],
  },
  {
    name: 'together-ai',
    priceList: 'together',
    title: 'Together AI',
    docs: 'https://docs.together.ai/reference/chat-completions',
    baseUrl: 'https://api.together.ai/v1',
    endpoints: ['chatComplete', 'complete', 'embed', 'imageGenerate', 'rerank'],
    own: { ...audioEndpoints, ...modelList },
    rules: {
      chatComplete: {
        ...systemRole,
        renames: maxTokens,
        usageIn: 'chunk',
        finishReasons: { eos: 'stop' },
      },
      complete: { usageIn: 'chunk', finishReasons: { eos: 'stop' } },
      imageGenerate: {
        drops: ['quality', 'style', 'user'],
        values: { response_format: { b64_json: 'base64' } },
        size: { width: 'width', height: 'height' },
        images: 'data',
      },
    },
    extras: {
      chatComplete: [
        'top_k',
        'min_p',
        'repetition_penalty',
        'safety_model',
        'context_length_exceeded_behavior',
      ],
      imageGenerate: ['steps', 'seed', 'negative_prompt', 'image_url', 'output_format', 'guidance_scale'],
    },
    remarks: [
      '`frequency_penalty` is forwarded unchanged; `repetition_penalty` is a different parameter with another scale.',
    ],
  },
  {
    name: 'x-ai',
    title: 'xAI',
    docs: 'https://docs.x.ai/developers/rest-api-reference/inference',
    baseUrl: 'https://api.x.ai/v1',
    endpoints: ['chatComplete', 'imageGenerate'],
    own: { ...modelList },
    rules: {
      chatComplete: { ...systemRole, usageIn: 'chunk' },
      imageGenerate: { drops: ['style'], size: { ratio: 'aspect_ratio', ratios: grokRatios } },
    },
    extras: {
      chatComplete: ['search_parameters', 'deferred'],
      imageGenerate: ['aspect_ratio', 'resolution'],
    },
    remarks: ['Images: https://docs.x.ai/developers/model-capabilities/images/generation'],
  },
]
