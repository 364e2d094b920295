/** Endpoint ids, as policies, plugins and logs name them (contract section 6). */

export const inferenceEndpoints = ['chatComplete', 'complete', 'embed', 'imageGenerate', 'rerank'] as const

export const endpointIds = [
  ...inferenceEndpoints,
  'messages',
  'countTokens',
  'createModelResponse',
  'getModelResponse',
  'deleteModelResponse',
  'listResponseInputItems',
  'countResponseTokens',
  'compactResponse',
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'moderate',
  'imageEdit',
  'generateContent',
  'countContentTokens',
  'embedContent',
  'batchEmbedContents',
  'listContentModels',
  'listModels',
  'createFile',
  'listFiles',
  'retrieveFile',
  'retrieveFileContent',
  'deleteFile',
  'createBatch',
  'listBatches',
  'retrieveBatch',
  'cancelBatch',
  'getBatchOutput',
  'retryBatch',
  'createMessageBatch',
  'listMessageBatches',
  'retrieveMessageBatch',
  'cancelMessageBatch',
  'deleteMessageBatch',
  'getMessageBatchResults',
  'createFinetune',
  'listFinetunes',
  'retrieveFinetune',
  'cancelFinetune',
  'listFinetuneEvents',
  'listFinetuneCheckpoints',
  'proxy',
  'realtime',
] as const

/** Endpoints that an entry of `custom_providers` may list. */
export const compatibleEndpoints = [
  ...inferenceEndpoints,
  'createModelResponse',
  'createSpeech',
  'createTranscription',
  'createTranslation',
  'moderate',
  'imageEdit',
  'listModels',
] as const

/** The five routes of the specification. */
export type InferenceEndpoint = (typeof inferenceEndpoints)[number]

/** Served by service packages; guardrails, policies and logs treat them like the others. */
export const serviceEndpoints = ['mcp', 'agent'] as const

export type ServiceEndpoint = (typeof serviceEndpoints)[number]

export type EndpointId = (typeof endpointIds)[number] | ServiceEndpoint
