/** Endpoints in words; the API, filters and exports have their ids. */
import { type Options, optionsOf } from '../resources/declare.ts'

/** Those that most requests use come first. */
export const endpointOptions: Options = optionsOf({
  chatComplete: 'Chat completion',
  messages: 'Message',
  createModelResponse: 'Response',
  generateContent: 'Gemini content',
  embed: 'Embedding',
  imageGenerate: 'Image',
  imageEdit: 'Image edit',
  createSpeech: 'Speech',
  createTranscription: 'Transcription',
  createTranslation: 'Audio translation',
  moderate: 'Moderation',
  rerank: 'Rerank',
  complete: 'Text completion',
  realtime: 'Realtime session',
  mcp: 'MCP',
  agent: 'Agent',
  proxy: 'Other route of a provider',
  countTokens: 'Tokens of a message',
  getModelResponse: 'Read a response',
  deleteModelResponse: 'Delete a response',
  listResponseInputItems: 'Input of a response',
  countResponseTokens: 'Tokens of a response',
  compactResponse: 'Compact a response',
  countContentTokens: 'Tokens of Gemini content',
  embedContent: 'Gemini embedding',
  batchEmbedContents: 'Gemini embeddings',
  listContentModels: 'List Gemini models',
  listModels: 'List models',
  createFile: 'Upload a file',
  listFiles: 'List files',
  retrieveFile: 'Read a file',
  retrieveFileContent: 'Download a file',
  deleteFile: 'Delete a file',
  createBatch: 'Create a batch',
  listBatches: 'List batches',
  retrieveBatch: 'Read a batch',
  cancelBatch: 'Cancel a batch',
  getBatchOutput: 'Output of a batch',
  retryBatch: 'Retry a batch',
  createMessageBatch: 'Create a message batch',
  listMessageBatches: 'List message batches',
  retrieveMessageBatch: 'Read a message batch',
  cancelMessageBatch: 'Cancel a message batch',
  deleteMessageBatch: 'Delete a message batch',
  getMessageBatchResults: 'Results of a message batch',
  createFinetune: 'Start fine-tuning',
  listFinetunes: 'List fine-tuning jobs',
  retrieveFinetune: 'Read a fine-tuning job',
  cancelFinetune: 'Cancel fine-tuning',
  listFinetuneEvents: 'Events of fine-tuning',
  listFinetuneCheckpoints: 'Fine-tuning checkpoints',
})

const words = new Map(endpointOptions)

/** The name of an endpoint; one without an entry above is named by its id: `createPoem` becomes "Create poem". */
export const endpointText = (id: string): string => words.get(id) ?? inWords(id)

function inWords(id: string): string {
  const text = id.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
