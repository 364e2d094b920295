/** `default.allowedRequestTypes`: the endpoint of the request is allowed and not blocked. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import type { Filled } from './shared/parameters.ts'

/** Endpoint ids, including those of the gateway's other routes, so that a config may name them in advance. */
const requestTypes = [
  ...['chatComplete', 'complete', 'embed', 'imageGenerate', 'rerank', 'messages', 'countTokens'],
  ...['createModelResponse', 'getModelResponse', 'deleteModelResponse', 'listResponseInputItems'],
  ...['countResponseTokens', 'compactResponse'],
  ...['generateContent', 'countContentTokens', 'embedContent', 'batchEmbedContents', 'listContentModels'],
  ...['createSpeech', 'createTranscription', 'createTranslation', 'moderate', 'imageEdit', 'listModels'],
  ...['proxy', 'realtime', 'mcp', 'agent'],
  ...['createFile', 'listFiles', 'retrieveFile', 'retrieveFileContent', 'deleteFile'],
  ...['createBatch', 'listBatches', 'retrieveBatch', 'cancelBatch', 'getBatchOutput'],
  ...['createFinetune', 'listFinetunes', 'retrieveFinetune', 'cancelFinetune'],
  ...['listFinetuneEvents', 'listFinetuneCheckpoints'],
]

const types = (description: string) =>
  Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', enum: requestTypes }), { default: [], description }),
  )

const parameters = Type.Object(
  {
    allowedTypes: types(
      'Endpoint ids that pass, such as chatComplete. Empty: those in the metadata key supported_endpoints (separated ' +
        'by commas), otherwise all.',
    ),
    blockedTypes: types(
      'Endpoint ids that do not pass, even if they are allowed. Empty: those in the metadata key blocked_endpoints.',
    ),
  },
  { additionalProperties: false },
)

export const allowedRequestTypes: Check<Filled<typeof parameters>> = {
  id: 'allowedRequestTypes',
  title: 'Allowed request types',
  description:
    'Passes when the endpoint of the request is allowed and not blocked, according to the parameters or else the request ' +
    'metadata, which the caller sets.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ allowedTypes, blockedTypes }) {
    const both = allowedTypes.find((type) => blockedTypes.includes(type))
    if (both !== undefined) throw new Error(`${both} is in allowedTypes and in blockedTypes`)
    return {
      run({ endpoint, metadata }) {
        const allowed = allowedTypes.length > 0 ? allowedTypes : listed(metadata, 'supported_endpoints')
        const blocked = blockedTypes.length > 0 ? blockedTypes : listed(metadata, 'blocked_endpoints')
        const isBlocked = blocked.includes(endpoint)
        const isAllowed = allowed.length === 0 || allowed.includes(endpoint)
        return { verdict: isAllowed && !isBlocked, data: { type: endpoint, isAllowed, isBlocked } }
      },
    }
  },
}

/** A comma-separated list or a JSON list. */
function listed(metadata: Readonly<Record<string, string>>, key: string): string[] {
  const written = Object.hasOwn(metadata, key) ? (metadata[key] ?? '') : ''
  return written.split(/[\s,[\]"]+/).filter((type) => type !== '')
}
