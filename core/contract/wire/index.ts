/**
 * `@gateway/contract/wire`: the JSON Schemas of request and answer bodies, and the rules of forms. An endpoint's
 * declaration names its own.
 */
export * from './answers.ts'
export * from './audio.ts'
export * from './batches.ts'
export { chatCompleteRequest } from './chat.ts'
export { completeRequest } from './completion.ts'
export { embedRequest } from './embedding.ts'
export * from './files.ts'
export * from './fine-tuning.ts'
export { imageGenerateRequest } from './image.ts'
export * from './image-edit.ts'
export { moderationRequest } from './moderation.ts'
export { rerankRequest } from './rerank.ts'
export { createResponseRequest } from './responses.ts'
export { given, optional } from './rules.ts'
export * from './uploads.ts'
