/**
 * The one table of endpoints, to which dialect packages add theirs. Used by the router, OpenAPI and the tests of all
 * endpoints.
 */
import { type EndpointId, endpointIds, GatewayError } from '@gateway/contract'
import type { DialectPlugin } from '@gateway/contract/dialect'
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
import { declareDialect } from './dialects/declare-dialect.ts'
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
import { imageEdits } from './images/edits.ts'
import { imageGenerations } from './images/generations.ts'
import { models } from './models/models.ts'
import { moderations } from './moderations.ts'
import { proxy } from './proxy.ts'
import { rerank } from './rerank.ts'

/** Calls of models. */
const calls: readonly DeclaredEndpoint[] = [
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
]

/** Models, stored objects, and requests that are forwarded in the provider's own format. */
const others: readonly DeclaredEndpoint[] = [
  models,
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
  createFinetune,
  listFinetunes,
  retrieveFinetune,
  cancelFinetune,
  listFinetuneEvents,
  listFinetuneCheckpoints,
  proxy,
]

const ownIds: ReadonlySet<EndpointId> = new Set([...calls, ...others].map(({ id }) => id))

/** Sorts by the contract's list, whichever package declares the endpoint. The API reference uses this order. */
const byId = (left: DeclaredEndpoint, right: DeclaredEndpoint): number =>
  allIds.indexOf(left.id) - allIds.indexOf(right.id)

const allIds: readonly EndpointId[] = endpointIds

/**
 * The endpoints of a gateway: those of core, and those of its dialects.
 * @throws GatewayError `invalid_config` for a dialect that declares an endpoint of core
 */
export function endpointsWith(dialects: readonly DialectPlugin[]): readonly DeclaredEndpoint[] {
  for (const { name, endpoints: declared } of dialects) {
    const known = declared.find(({ id }) => ownIds.has(id))
    if (known !== undefined)
      throw new GatewayError(
        'invalid_config',
        `The dialect "${name}" has the endpoint "${known.id}", which the gateway itself has. Remove one of them, or disable the dialect in \`plugins.disabled\`.`,
      )
  }
  return [...calls, ...dialects.flatMap(declareDialect).sort(byId), ...others]
}
