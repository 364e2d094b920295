/** The request bodies of the specification, by endpoint. */
import type { TSchema } from '@sinclair/typebox'
import type { EndpointId } from '../endpoint.ts'
import { audioForm, speechRequest, transcriptionRequest, translationRequest } from './audio.ts'
import { chatCompleteRequest } from './chat.ts'
import { completeRequest } from './completion.ts'
import { embedRequest } from './embedding.ts'
import { imageGenerateRequest } from './image.ts'
import { imageEditForm, imageEditRequest } from './image-edit.ts'
import { countTokensRequest, messagesRequest } from './messages.ts'
import { moderationRequest } from './moderation.ts'
import { rerankRequest } from './rerank.ts'
import { createResponseRequest } from './responses.ts'
import type { FormRules } from './uploads.ts'

export * from './answers.ts'
export * from './audio.ts'
export * from './image-edit.ts'
export * from './uploads.ts'

export const requestSchemas: Partial<Record<EndpointId, TSchema>> = {
  chatComplete: chatCompleteRequest,
  complete: completeRequest,
  embed: embedRequest,
  imageGenerate: imageGenerateRequest,
  rerank: rerankRequest,
  messages: messagesRequest,
  countTokens: countTokensRequest,
  createModelResponse: createResponseRequest,
  createSpeech: speechRequest,
  createTranscription: transcriptionRequest,
  createTranslation: translationRequest,
  moderate: moderationRequest,
  imageEdit: imageEditRequest,
}

const parameters = new Map(
  Object.entries(requestSchemas).map(([endpoint, schema]) => [
    endpoint,
    new Set(Object.keys(schema.properties)),
  ]),
)
const none: ReadonlySet<string> = new Set()

/** The parameters that the specification names for an endpoint; callers may send others. */
export const specifiedParameters = (endpoint: EndpointId): ReadonlySet<string> =>
  parameters.get(endpoint) ?? none

/** Endpoints whose body may be a form. */
export const requestForms: Partial<Record<EndpointId, FormRules>> = {
  createTranscription: audioForm,
  createTranslation: audioForm,
  imageEdit: imageEditForm,
}
