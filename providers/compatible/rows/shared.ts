/** Rules that many rows share. */
import { type EndpointRules, filesEndpoints, modelsEndpoint } from '@gateway/provider-kit'

/** Its roles are system, user, assistant and tool: a developer message is its system message. */
export const systemRole = { roles: { developer: 'system' } } as const satisfies EndpointRules

/** It knows the older name of the bound only. */
export const maxTokens = { max_completion_tokens: 'max_tokens' } as const

/** Servers of this kind take these beside the format's own. */
export const vllmExtras = ['top_k', 'min_p', 'repetition_penalty', 'chat_template_kwargs'] as const

/** Members of an answer's message that clients send back and that it refuses there. */
export const answerMembers = [
  'annotations',
  'audio',
  'refusal',
  'reasoning_content',
  'content_blocks',
] as const

/** It lists its models. */
export const modelList = { listModels: modelsEndpoint } as const

const { createFile } = filesEndpoints()

/** It takes files. */
export const fileUpload = createFile === undefined ? {} : { createFile }
