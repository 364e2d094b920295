/** The request bodies of the specification, by endpoint. */
import type { TSchema } from '@sinclair/typebox'
import type { InferenceEndpoint } from '../endpoint.ts'
import { chatCompleteRequest } from './chat.ts'
import { completeRequest } from './completion.ts'
import { embedRequest } from './embedding.ts'
import { imageGenerateRequest } from './image.ts'
import { rerankRequest } from './rerank.ts'

export const requestSchemas: Record<InferenceEndpoint, TSchema> = {
  chatComplete: chatCompleteRequest,
  complete: completeRequest,
  embed: embedRequest,
  imageGenerate: imageGenerateRequest,
  rerank: rerankRequest,
}
