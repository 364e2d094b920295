/**
 * `@gateway/provider-kit`: building blocks for provider packages: authentication (also for secret managers), dialects
 * of vendors' formats, chat answers and chunks, stream framings, media, and files and jobs in clouds.
 */

export { answerFault } from './answer-fault.ts'
export { type AwsAuthOptions, awsAuth } from './auth/aws-auth.ts'
export { type AwsCredentialSource, awsCredentials, usesOwnAwsIdentity } from './auth/aws-credentials.ts'
export { type AwsEnvironment, awsDomain, awsRegion, readAwsEnvironment } from './auth/aws-environment.ts'
export { awsError } from './auth/aws-error.ts'
export type {
  AzureIdentity,
  ClientIdentity,
  FederatedIdentity,
  ManagedIdentity,
  WorkloadIdentity,
} from './auth/azure-identities.ts'
export {
  type Auth,
  type AuthOptions,
  addHeaders,
  bearer,
  credentialOf,
  type ExtraHeaders,
  type HeaderOptions,
  header,
  none,
  type QueryOptions,
  query,
} from './auth/credential.ts'
export { createEntra, type Entra, type EntraOptions } from './auth/entra.ts'
export { googleAuth, serviceAccountOf, usesOwnIdentity } from './auth/google.ts'
export { type OciCredential, signOci } from './auth/oci.ts'
export { type AwsCredentials, type SigningOptions, signRequest } from './auth/sigv4.ts'
export { createTokenCache, type Expiring, type TokenCache } from './auth/token-cache.ts'
export { urlCitation } from './chat/annotations.ts'
export {
  type ChatAnswer,
  type ChatChoice,
  chatCompletion,
  chatUsage,
  type Finish,
  type FinishReason,
  finishMembers,
  type TokenCounts,
} from './chat/answer.ts'
export { type ChoiceWriter, type ChunkWriter, chunkWriter, opening } from './chat/chunks.ts'
export {
  contentParts,
  imageUrl,
  maxTokens,
  partText,
  plainText,
  saidContent,
  stopSequences,
  textParts,
  unsupportedPart,
} from './chat/content.ts'
export { withoutLegacyFunctions } from './chat/legacy-functions.ts'
export { refuseWebSearch, requireOneText, requireText } from './chat/one-text.ts'
export { refusal } from './chat/refusal.ts'
export { type ResponseFormat, readResponseFormat } from './chat/response-format.ts'
export { fortyCharacters, nineCharacters, nineOfMistral } from './chat/tool-call-ids.ts'
export {
  type FunctionTool,
  readArguments,
  readToolCalls,
  readToolUse,
  type ToolCall,
  type ToolUse,
  withNamedToolOnly,
} from './chat/tools.ts'
export { clamped, countOf, defined, objectOf, objectsOf, parseObject, pick, textOf } from './chat/values.ts'
export { type CompatibleRow, compatibleProvider } from './compatible-provider.ts'
export { withContextLength } from './context-length.ts'
export { messageBatchEndpoints } from './dialect/anthropic/batches.ts'
export { anthropicDialect } from './dialect/anthropic/dialect.ts'
export { anthropicModelList, anthropicModelsDialect } from './dialect/anthropic/model-list.ts'
export {
  countTokensDialect,
  messagesDialect,
  messagesHeaders,
  messagesStream,
  ownMessages,
} from './dialect/anthropic/native.ts'
export { anthropicVersion } from './dialect/anthropic/types.ts'
export { cohereDialect, cohereEmbedDialect } from './dialect/cohere/dialect.ts'
export { audioEndpoints } from './dialect/compatible/audio.ts'
export { compatibleDialect, type EndpointRules } from './dialect/compatible/dialects.ts'
export { compatibleError, compatibleFault } from './dialect/compatible/errors.ts'
export { batchesEndpoints, filesEndpoints, fineTuningEndpoints } from './dialect/compatible/files.ts'
export { imageEditEndpoint } from './dialect/compatible/image-edit.ts'
export { systemRole } from './dialect/compatible/messages.ts'
export { modelsDialect, modelsEndpoint } from './dialect/compatible/models.ts'
export { moderationEndpoint } from './dialect/compatible/moderation.ts'
export { newerParameters } from './dialect/compatible/newer-parameters.ts'
export { type RerankRules, rerankDialect } from './dialect/compatible/rerank.ts'
export { type PlacePath, responsesDialect, responsesEndpoints } from './dialect/compatible/responses.ts'
export { converseDialect } from './dialect/converse/dialect.ts'
export { geminiDialect } from './dialect/gemini/dialect.ts'
export {
  batchEmbedDialect,
  type Embedded,
  embedContentDialect,
  embedContentRequest,
  readEmbedding,
} from './dialect/gemini/embeddings.ts'
export { geminiError, withGoogleErrors } from './dialect/gemini/errors.ts'
export { geminiImageDialect, imagenDialect } from './dialect/gemini/images.ts'
export { geminiModelsDialect } from './dialect/gemini/model-list.ts'
export {
  batchEmbedNative,
  countContentDialect,
  embedContentNative,
  generateContentDialect,
  resourceOf,
  vertexCountDialect,
} from './dialect/gemini/native.ts'
export { generateAction } from './dialect/gemini/paths.ts'
export { predictEmbedDialect, predictRequest, readPredictions } from './dialect/gemini/predict-embeddings.ts'
export { inlineGeminiMedia } from './dialect/gemini/prepare.ts'
export { ollamaDialect, ollamaEmbedDialect } from './dialect/ollama/dialect.ts'
export {
  decodeEmbedding,
  type EmbeddingList,
  embeddingList,
  embeddingTexts,
  encodeEmbedding,
  formatEmbedding,
} from './embedding-format.ts'
export { awsEventStream, faultOfAwsEvent } from './framing/aws-event-stream.ts'
export { jsonLines } from './framing/json-lines.ts'
export { type DataUrl, parseDataUrl } from './media/data-url.ts'
export { decodeImage } from './media/decode-image.ts'
export { imageData, imageType } from './media/image-data.ts'
export { type ImageSize, nearestRatio, parseSize } from './media/image-size.ts'
export { inlineMedia } from './media/inline-media.ts'
export { type FormFields, multipart } from './multipart.ts'
export { multipartStream } from './multipart-stream.ts'
export { readAvro } from './objects/avro.ts'
export { batchJobs, batchOfJob, jobOptionsOf } from './objects/batch-jobs.ts'
export {
  type Authorize,
  callObject,
  callObjectJson,
  type ObjectCall,
  objectAnswer,
  objectId,
  objectUri,
  secondsOf,
} from './objects/call.ts'
export { type CloudPlace, type CloudStore, cloudFiles, type NewObject } from './objects/cloud-files.ts'
export { linkedBytes } from './objects/linked-bytes.ts'
export { jsonCaller, listAnswer, pageSizeOf, procedure } from './objects/procedures.ts'
export { tuningJobOf } from './objects/tuning-jobs.ts'
export { hyperparametersOf, requiredText, textOrNull } from './objects/values.ts'
export { parseEvent } from './parse-event.ts'
export { pathSegment, pathSegments } from './path-segment.ts'
