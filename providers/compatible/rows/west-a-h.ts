/** Compatible providers of Europe and America, by name: A to H. */
import { audioEndpoints, type CompatibleRow, imageEditEndpoint } from '@gateway/provider-kit'
import { fireworksConfigurations } from '../fireworks-account.ts'
import { fireworksFiles } from '../fireworks-files.ts'
import { fireworksFineTuning } from '../fireworks-fine-tuning.ts'
import { fireworksImage } from '../fireworks-image.ts'
import { answerMembers, maxTokens, modelList, systemRole, vllmExtras } from './shared.ts'

export const westAtoH: readonly CompatibleRow[] = [
  {
    name: 'baseten',
    title: 'Baseten',
    docs: 'https://docs.baseten.co/reference/inference-api/chat-completions',
    baseUrl: 'https://inference.baseten.co/v1',
    endpoints: ['chatComplete'],
    own: { ...modelList },
    rules: { chatComplete: systemRole },
    extras: { chatComplete: vllmExtras },
    remarks: ['A model deployed on its own is called through `custom_host`.'],
  },
  {
    name: 'cerebras',
    title: 'Cerebras',
    docs: 'https://inference-docs.cerebras.ai/resources/openai',
    baseUrl: 'https://api.cerebras.ai/v1',
    endpoints: ['chatComplete', 'complete'],
    own: { ...modelList },
    rules: {
      // Parameters that it refuses with 400; the last content chunk contains the usage.
      chatComplete: {
        ...systemRole,
        drops: ['frequency_penalty', 'presence_penalty', 'logit_bias'],
        ranges: { temperature: [0, 1.5] },
        usageIn: 'chunk',
      },
      complete: { ranges: { temperature: [0, 1.5] }, usageIn: 'chunk' },
    },
    extras: { chatComplete: ['reasoning_format', 'clear_thinking'] },
  },
  {
    name: 'deepinfra',
    title: 'DeepInfra',
    docs: 'https://docs.deepinfra.com/api-reference/chat-completions/openai-chat-completions',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    endpoints: ['chatComplete', 'complete', 'embed', 'imageGenerate'],
    own: { ...audioEndpoints, imageEdit: imageEditEndpoint, ...modelList },
    rules: { chatComplete: { ...systemRole, thinking: { switch: 'reasoning.enabled' } } },
    extras: { chatComplete: ['top_k', 'min_p', 'repetition_penalty', 'stop_token_ids', 'fail_fast'] },
  },
  {
    name: 'featherless-ai',
    title: 'Featherless AI',
    docs: 'https://featherless.ai/docs/quickstart-guide',
    baseUrl: 'https://api.featherless.ai/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
    own: { ...modelList },
    rules: { chatComplete: systemRole },
    extras: { chatComplete: vllmExtras },
  },
  {
    name: 'fireworks-ai',
    priceList: 'fireworks',
    title: 'Fireworks AI',
    docs: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    endpoints: ['chatComplete', 'complete', 'embed'],
    // The last content chunk contains the usage, whether it was requested or not.
    rules: { chatComplete: { ...systemRole, usageIn: 'chunk' }, complete: { usageIn: 'chunk' } },
    own: { ...modelList, imageGenerate: fireworksImage, ...fireworksFiles, ...fireworksFineTuning },
    configurations: fireworksConfigurations,
    extras: {
      chatComplete: ['top_k', 'min_p', 'typical_p', 'repetition_penalty', 'prompt_cache_key', 'prediction'],
      imageGenerate: ['aspect_ratio', 'guidance_scale', 'num_inference_steps', 'seed'],
    },
    remarks: [
      'Images are made by the text-to-image workflow of the model (`accounts/fireworks/models/…`), one a call; they come as bytes.',
      'Files are datasets of the account (`fireworks_account_id` in `configurations`, or `resource_name`), each of up to 150 MB; their size in bytes is not told.',
      'Fine-tuning jobs are supervised. `suffix` names the model that they make, `batch_size` counts examples; a learning rate is `provider_options.learningRate`. There are no events and no checkpoints.',
    ],
    notes: { drops: { imageGenerate: ['quality', 'style', 'user'] } },
  },
  {
    name: 'friendli',
    title: 'Friendli',
    docs: 'https://friendli.ai/docs/openapi/model-apis/chat-completions',
    baseUrl: 'https://api.friendli.ai/serverless/v1',
    endpoints: ['chatComplete', 'complete'],
    own: { ...modelList },
    rules: { chatComplete: systemRole },
    extras: { chatComplete: ['min_tokens', ...vllmExtras] },
  },
  {
    name: 'groq',
    title: 'Groq',
    docs: 'https://console.groq.com/docs/openai',
    baseUrl: 'https://api.groq.com/openai/v1',
    endpoints: ['chatComplete'],
    own: { ...audioEndpoints, ...modelList },
    rules: {
      // Parameters that it refuses with 400. The last chunk contains `x_groq: {usage}`; `x_groq.error` gives the
      // reason of a truncated stream.
      chatComplete: {
        drops: ['logprobs', 'top_logprobs', 'logit_bias', 'stream_options'],
        messageDrops: ['name', ...answerMembers],
        usageIn: 'x_groq',
      },
    },
    extras: { chatComplete: ['reasoning_format', 'include_reasoning', 'service_tier'] },
    remarks: ['`n` above 1 is refused by the provider.'],
  },
  {
    name: 'hyperbolic',
    title: 'Hyperbolic',
    docs: 'https://www.hyperbolic.ai/docs/inference/text-apis',
    baseUrl: 'https://api.hyperbolic.xyz/v1',
    endpoints: ['chatComplete', 'complete', 'imageGenerate'],
    own: { ...modelList },
    paths: { imageGenerate: '/image/generation' },
    rules: {
      chatComplete: { ...systemRole, renames: maxTokens },
      imageGenerate: {
        renames: { model: 'model_name' },
        drops: ['quality', 'style', 'user', 'response_format'],
        size: { width: 'width', height: 'height' },
        images: 'images',
      },
    },
    extras: { imageGenerate: ['steps', 'cfg_scale', 'negative_prompt', 'seed', 'enable_refiner', 'backend'] },
    remarks: ['Images come as bytes. Reference: https://www.hyperbolic.ai/docs/inference/image-apis'],
  },
]
