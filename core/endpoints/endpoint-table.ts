/** The one table of endpoints. Used by the router, OpenAPI and the tests of all endpoints. */
import type { EndpointId } from '@gateway/contract'
import { speech } from './audio/speech.ts'
import { transcriptions } from './audio/transcriptions.ts'
import { translations } from './audio/translations.ts'
import {
  cancelBatch,
  createBatch,
  getBatchOutput,
  listBatches,
  retrieveBatch,
  retryBatch,
} from './batches/batches.ts'
import { chat } from './chat.ts'
import { completions } from './completions.ts'
import type { DeclaredEndpoint } from './declare-endpoint.ts'
import { embeddings } from './embeddings.ts'
import { createFile, deleteFile, listFiles, retrieveFile, retrieveFileContent } from './files/files.ts'
import {
  cancelFinetune,
  createFinetune,
  listFinetuneCheckpoints,
  listFinetuneEvents,
  listFinetunes,
  retrieveFinetune,
} from './fine-tuning/fine-tuning.ts'
import { countContentTokens } from './gemini/count-tokens.ts'
import { batchEmbedContents, embedContent } from './gemini/embed-content.ts'
import { generateContent } from './gemini/generate-content.ts'
import { listContentModels } from './gemini/models.ts'
import { imageEdits } from './images/edits.ts'
import { imageGenerations } from './images/generations.ts'
import {
  cancelMessageBatch,
  createMessageBatch,
  deleteMessageBatch,
  getMessageBatchResults,
  listMessageBatches,
  retrieveMessageBatch,
} from './messages/batches.ts'
import { countTokens } from './messages/count-tokens.ts'
import { messages } from './messages/messages.ts'
import { models } from './models/models.ts'
import { moderations } from './moderations.ts'
import { proxy } from './proxy.ts'
import { realtime } from './realtime.ts'
import { rerank } from './rerank.ts'
import { compactResponse } from './responses/compact.ts'
import { createResponse } from './responses/create.ts'
import { deleteResponse } from './responses/delete.ts'
import { getResponse } from './responses/get.ts'
import { responseInputTokens } from './responses/input-tokens.ts'
import { listInputItems } from './responses/list-input-items.ts'

export const endpoints: readonly DeclaredEndpoint[] = [
  chat,
  completions,
  embeddings,
  imageGenerations,
  rerank,
  speech,
  transcriptions,
  translations,
  moderations,
  imageEdits,
  messages,
  createResponse,
  responseInputTokens,
  compactResponse,
  countTokens,
  generateContent,
  countContentTokens,
  embedContent,
  batchEmbedContents,
  listContentModels,
  models,
  getResponse,
  deleteResponse,
  listInputItems,
  createFile,
  listFiles,
  retrieveFile,
  retrieveFileContent,
  deleteFile,
  createBatch,
  listBatches,
  retrieveBatch,
  cancelBatch,
  getBatchOutput,
  retryBatch,
  createMessageBatch,
  listMessageBatches,
  retrieveMessageBatch,
  cancelMessageBatch,
  deleteMessageBatch,
  getMessageBatchResults,
  createFinetune,
  listFinetunes,
  retrieveFinetune,
  cancelFinetune,
  listFinetuneEvents,
  listFinetuneCheckpoints,
  proxy,
  realtime,
]

const byId = new Map<EndpointId, DeclaredEndpoint>(endpoints.map((endpoint) => [endpoint.id, endpoint]))

/** An endpoint by its id, for callers that have no exchange: the harness of checks, and tests. */
export function endpointOf(id: EndpointId): DeclaredEndpoint {
  const endpoint = byId.get(id)
  if (endpoint === undefined) throw new Error(`No endpoint is declared with the id ${id}.`)
  return endpoint
}
