/**
 * `@gateway/contract/wire`: the JSON Schemas of request and answer bodies, and the rules of forms. An endpoint's
 * declaration names its own.
 */
export {
  answerWithHooks,
  chatCompletionAnswer,
  embeddingListAnswer,
  imageListAnswer,
  moderationAnswer,
  rankingAnswer,
  textCompletionAnswer,
  transcriptAnswer,
} from './answers.ts'
export { audioForm, speechRequest, transcriptionRequest, translationRequest } from './audio.ts'
export {
  type BatchState,
  batchAnswer,
  batchCreate,
  batchEndpoints,
  batchList,
  batchQuery,
  batchRetrieval,
  batchStates,
  immediateEndpoints,
} from './batches.ts'
export { chatCompleteRequest } from './chat.ts'
export { completeRequest } from './completion.ts'
export { embedRequest } from './embedding.ts'
export {
  fileAnswer,
  fileDeletion,
  fileForm,
  fileList,
  fileQuery,
  fileUpload,
  listOf,
  uploadPurposes,
} from './files.ts'
export {
  type JobState,
  jobAnswer,
  jobCheckpointList,
  jobCreate,
  jobEventList,
  jobList,
  jobQuery,
  jobStates,
} from './fine-tuning.ts'
export { imageGenerateRequest } from './image.ts'
export { imageEditForm, imageEditRequest } from './image-edit.ts'
export { moderationRequest } from './moderation.ts'
export { rerankRequest } from './rerank.ts'
export { createResponseRequest } from './responses.ts'
export { given, optional } from './rules.ts'
export type { FileRule, FormRules } from './uploads.ts'
