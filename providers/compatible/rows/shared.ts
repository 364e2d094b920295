/** Rules that many rows share. */
import { filesEndpoints, modelsEndpoint } from '@gateway/provider-kit'

/** Only the older name of the token limit is supported. */
export const maxTokens = { max_completion_tokens: 'max_tokens' } as const

/** Parameters of these servers in addition to the format's own. */
export const vllmExtras = ['top_k', 'min_p', 'repetition_penalty', 'chat_template_kwargs'] as const

/** Members of an answer's message that clients send back and that the provider refuses. */
export const answerMembers = ['annotations', 'audio', 'refusal', 'reasoning_content'] as const

/** The provider lists its models. */
export const modelList = { listModels: modelsEndpoint } as const

const { createFile } = filesEndpoints()

/** The provider accepts files. */
export const fileUpload = createFile === undefined ? {} : { createFile }
