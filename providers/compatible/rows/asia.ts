/** Compatible providers of Asia, by name. */
import type { CompatibleRow } from '@gateway/provider-kit'

export const asia: readonly CompatibleRow[] = [
  {
    name: 'dashscope',
    title: 'Alibaba Cloud Model Studio',
    docs: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    endpoints: ['chatComplete', 'embed'],
  },
  {
    name: 'deepseek',
    title: 'DeepSeek',
    docs: 'https://api-docs.deepseek.com/api/create-chat-completion',
    // Without a version segment, as the vendor writes it.
    baseUrl: 'https://api.deepseek.com',
    endpoints: ['chatComplete'],
    rules: { chatComplete: { renames: { max_completion_tokens: 'max_tokens' } } },
  },
  {
    name: 'krutrim',
    title: 'Krutrim',
    docs: 'https://docs.olakrutrim.com/',
    baseUrl: 'https://cloud.olakrutrim.com/v1',
    endpoints: ['chatComplete'],
  },
  {
    name: 'lingyi',
    title: '01.AI',
    docs: 'https://platform.lingyiwanwu.com/docs/api-reference',
    baseUrl: 'https://api.lingyiwanwu.com/v1',
    endpoints: ['chatComplete'],
  },
  {
    name: 'minimax',
    title: 'MiniMax',
    docs: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
    baseUrl: 'https://api.minimax.io/v1',
    endpoints: ['chatComplete'],
  },
  {
    name: 'moonshot',
    title: 'Moonshot AI',
    docs: 'https://platform.moonshot.cn/docs/api/chat',
    baseUrl: 'https://api.moonshot.cn/v1',
    endpoints: ['chatComplete'],
  },
  {
    name: 'siliconflow',
    title: 'SiliconFlow',
    docs: 'https://docs.siliconflow.cn/en/api-reference/chat-completions/chat-completions',
    baseUrl: 'https://api.siliconflow.cn/v1',
    endpoints: ['chatComplete', 'embed'],
    rules: { chatComplete: { renames: { max_completion_tokens: 'max_tokens' } } },
  },
  {
    name: 'upstage',
    title: 'Upstage',
    docs: 'https://console.upstage.ai/api/chat',
    baseUrl: 'https://api.upstage.ai/v1',
    endpoints: ['chatComplete', 'embed'],
  },
  {
    name: 'z-ai',
    title: 'Z.ai',
    docs: 'https://docs.z.ai/api-reference/llm/chat-completion',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    endpoints: ['chatComplete'],
    rules: {
      chatComplete: {
        renames: { max_completion_tokens: 'max_tokens' },
        usageIn: 'chunk',
        finishReasons: { sensitive: 'content_filter', model_context_window_exceeded: 'length' },
      },
    },
  },
  {
    name: 'zhipu',
    title: 'Zhipu AI',
    docs: 'https://docs.bigmodel.cn/',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    endpoints: ['chatComplete', 'embed'],
    rules: {
      chatComplete: {
        renames: { max_completion_tokens: 'max_tokens' },
        usageIn: 'chunk',
        finishReasons: { sensitive: 'content_filter', model_context_window_exceeded: 'length' },
      },
    },
  },
]
