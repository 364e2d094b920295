/** Compatible providers of Asia, by name. */
import { audioEndpoints, type CompatibleRow, type EndpointRules, systemRole } from '@gateway/provider-kit'
import { maxTokens, modelList } from './shared.ts'

/** GLM chat, the same at its Chinese and its international address. The last chunk contains the usage. */
const glmChat: EndpointRules = {
  ...systemRole,
  renames: maxTokens,
  drops: [
    'user',
    'frequency_penalty',
    'presence_penalty',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'seed',
    'stream_options',
  ],
  only: { n: 1 },
  ranges: { temperature: [0, 1], top_p: [0.01, 1] },
  thinking: 'own',
  usageIn: 'chunk',
  finishReasons: { sensitive: 'content_filter', model_context_window_exceeded: 'length' },
}
/** `user_id` must have 6 to 128 characters, so not every `user` is valid. */
const glmExtras = ['user_id', 'do_sample', 'request_id', 'tool_stream'] as const
const glmRemarks = [
  '`thinking` is always forwarded unchanged (`{type: enabled | disabled, clear_thinking}`); the model’s reasoning is in `reasoning_content`.',
]

export const asia: readonly CompatibleRow[] = [
  {
    name: 'dashscope',
    title: 'Alibaba Cloud Model Studio',
    docs: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    endpoints: ['chatComplete', 'embed'],
    own: { ...modelList },
    rules: {
      // The value 2 itself is out of range.
      chatComplete: {
        ...systemRole,
        renames: maxTokens,
        ranges: { temperature: [0, 1.99], top_p: [0.01, 1] },
        thinking: { switch: 'enable_thinking', budget: 'thinking_budget' },
      },
      embed: { drops: ['user'] },
    },
    extras: {
      chatComplete: [
        'top_k',
        'repetition_penalty',
        'cache_control',
        'enable_search',
        'search_options',
        'vl_high_resolution_images',
      ],
    },
    remarks: [
      'For the China region set `custom_host: https://dashscope.aliyuncs.com/compatible-mode/v1`.',
      'The model’s reasoning is in `reasoning_content`; some models think only in streams.',
    ],
  },
  {
    name: 'deepseek',
    title: 'DeepSeek',
    docs: 'https://api-docs.deepseek.com/api/create-chat-completion',
    // The vendor's base URL has no version segment.
    baseUrl: 'https://api.deepseek.com',
    endpoints: ['chatComplete', 'complete'],
    own: { ...modelList },
    // Fill-in-the-middle, with or without a suffix, is its only text completion.
    paths: { complete: '/beta/completions' },
    rules: {
      chatComplete: {
        ...systemRole,
        renames: maxTokens,
        drops: ['user'],
        thinking: 'own',
        finishReasons: { insufficient_system_resource: 'length' },
      },
      complete: { only: { n: 1, best_of: 1 }, drops: ['logit_bias', 'seed', 'user'] },
    },
    extras: { chatComplete: ['user_id'] },
    remarks: [
      'Text completions are fill-in-the-middle (`/beta/completions`), with or without a `suffix`.',
      '`thinking` is always forwarded unchanged (`{type: enabled | disabled}`); the model’s reasoning is in `reasoning_content`, which a conversation with tools must send back.',
    ],
  },
  {
    name: 'krutrim',
    title: 'Krutrim',
    docs: 'https://docs.cloud.olakrutrim.com/basics/ai-studio/ai-jobs/inferencing',
    baseUrl: 'https://cloud.olakrutrim.com/v1',
    endpoints: ['chatComplete'],
    rules: { chatComplete: { ...systemRole, renames: maxTokens } },
  },
  {
    name: 'lingyi',
    title: '01.AI',
    docs: 'https://platform.lingyiwanwu.com/docs/api-reference',
    baseUrl: 'https://api.lingyiwanwu.com/v1',
    endpoints: ['chatComplete'],
    own: { ...modelList },
    rules: { chatComplete: { ...systemRole, renames: maxTokens } },
  },
  {
    name: 'minimax',
    title: 'MiniMax',
    docs: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
    baseUrl: 'https://api.minimax.io/v1',
    endpoints: ['chatComplete'],
    rules: {
      // Parameters that the provider ignores are left out. Failures arrive in answers with status 200; see its list
      // of error codes: https://platform.minimax.io/docs/api-reference/errorcode
      chatComplete: {
        ...systemRole,
        drops: ['frequency_penalty', 'presence_penalty', 'logit_bias'],
        usageIn: 'chunk',
        failure: {
          in: 'base_resp',
          code: 'status_code',
          message: 'status_msg',
          success: 0,
          statuses: {
            1000: 500,
            1001: 504,
            1002: 429,
            1004: 401,
            1008: 402,
            1024: 500,
            1026: 400,
            1027: 400,
            1033: 500,
            1039: 429,
            1041: 429,
            2013: 400,
            2049: 401,
            2056: 429,
          },
        },
      },
    },
    extras: { chatComplete: ['reasoning_split', 'service_tier'] },
    remarks: [
      'The model’s reasoning is in `<think>` inside the content, or separate with `reasoning_split: true`.',
      '`n` above 1 is refused by the provider.',
    ],
  },
  {
    name: 'moonshot',
    priceList: 'moonshotai',
    title: 'Moonshot AI',
    docs: 'https://platform.kimi.com/docs/api/chat',
    baseUrl: 'https://api.moonshot.cn/v1',
    endpoints: ['chatComplete'],
    own: { ...modelList },
    rules: { chatComplete: { ...systemRole, ranges: { temperature: [0, 1] }, thinking: 'own' } },
    inlines: ['chatComplete'],
    extras: { chatComplete: ['prompt_cache_key', 'safety_identifier', 'prediction'] },
    remarks: [
      'Outside China `custom_host: https://api.moonshot.ai/v1`.',
      'Images by URL are fetched first: the provider accepts only bytes.',
      '`thinking` is always forwarded unchanged (`{type: enabled | disabled, keep}`); the model’s reasoning is in `reasoning_content`.',
    ],
  },
  {
    name: 'siliconflow',
    title: 'SiliconFlow',
    docs: 'https://docs.siliconflow.cn/en/api-reference/chat-completions/chat-completions',
    baseUrl: 'https://api.siliconflow.cn/v1',
    endpoints: ['chatComplete', 'embed', 'imageGenerate', 'rerank'],
    own: {
      createSpeech: audioEndpoints.createSpeech,
      createTranscription: audioEndpoints.createTranscription,
      ...modelList,
    },
    rules: {
      // Every chunk contains the usage so far.
      chatComplete: {
        ...systemRole,
        renames: maxTokens,
        thinking: { switch: 'enable_thinking', budget: 'thinking_budget' },
        usageIn: 'chunk',
        finishReasons: { eos: 'stop' },
      },
      embed: { drops: ['user'] },
      imageGenerate: {
        renames: { size: 'image_size', n: 'batch_size' },
        drops: ['quality', 'style', 'user', 'response_format'],
        images: 'images',
      },
      rerank: { documentsAsText: true, drops: ['max_tokens_per_document', 'priority', 'rank_fields'] },
    },
    extras: {
      chatComplete: ['top_k', 'min_p'],
      imageGenerate: ['negative_prompt', 'num_inference_steps', 'guidance_scale', 'seed', 'image'],
      rerank: ['max_chunks_per_doc', 'overlap_tokens'],
    },
    remarks: [
      'Images are returned as URLs that expire after an hour, regardless of `response_format`.',
      'Outside China `custom_host: https://api.siliconflow.com/v1`.',
    ],
  },
  {
    name: 'upstage',
    title: 'Upstage',
    docs: 'https://console.upstage.ai/api/chat',
    baseUrl: 'https://api.upstage.ai/v1',
    endpoints: ['chatComplete', 'embed'],
    rules: { chatComplete: { ...systemRole, renames: maxTokens }, embed: { drops: ['user'] } },
  },
  {
    name: 'z-ai',
    priceList: 'zai',
    title: 'Z.ai',
    docs: 'https://docs.z.ai/api-reference/llm/chat-completion',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    endpoints: ['chatComplete'],
    rules: { chatComplete: glmChat },
    extras: { chatComplete: glmExtras },
    remarks: glmRemarks,
  },
  {
    name: 'zhipu',
    priceList: 'zhipuai',
    title: 'Zhipu AI',
    docs: 'https://docs.bigmodel.cn/api-reference/%E6%A8%A1%E5%9E%8B-api/%E5%AF%B9%E8%AF%9D%E8%A1%A5%E5%85%A8',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    endpoints: ['chatComplete', 'embed'],
    rules: { chatComplete: glmChat, embed: { drops: ['user', 'encoding_format'] } },
    extras: { chatComplete: glmExtras },
    remarks: glmRemarks,
  },
]
