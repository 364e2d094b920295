/** Self-hosted servers: only `custom_host` specifies their address. */
import { type CompatibleRow, nineOfMistral, systemRole } from '@gateway/provider-kit'
import { vllmExtras } from './shared.ts'

export const local: readonly CompatibleRow[] = [
  {
    name: 'vllm',
    title: 'vLLM',
    docs: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
    baseUrl: null,
    endpoints: ['chatComplete', 'complete', 'embed', 'rerank'],
    credential: 'optional',
    rules: {
      chatComplete: { ...systemRole, toolCallIds: [nineOfMistral] },
      rerank: { documentsAsText: true },
    },
    extras: { chatComplete: vllmExtras },
  },
]
