/**
 * The list of models: those of the account's region, and cross-region profiles. Many models can be called only through
 * a profile. Profiles are left out if the credential cannot list them.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html
 */
import {
  isUpstreamFault,
  type JsonObject,
  type ModelInfo,
  type ProcedureContext,
  type ProcedureEndpoint,
  type ProviderSettings,
} from '@gateway/contract'
import { objectsOf } from '@gateway/provider-kit'
import { serviceUrlFor } from './address.ts'
import { callJson } from './invoke.ts'

/** The endpoint, in the region of each call's settings. */
export function modelsEndpoint(regionOf: (settings: ProviderSettings) => string): ProcedureEndpoint {
  return {
    kind: 'procedure',
    async run(_body, context) {
      const base = serviceUrlFor('bedrock', regionOf(context.settings), context)
      const [models, profiles] = await Promise.all([
        list(`${base}/foundation-models`, 'modelSummaries', context),
        list(`${base}/inference-profiles?maxResults=1000`, 'inferenceProfileSummaries', context).catch(
          refusedAsEmpty,
        ),
      ])
      const data = [...models.flatMap(modelInfo), ...profiles.flatMap(profileInfo)]
      return { status: 200, headers: {}, body: { object: 'list', data }, stream: null }
    },
  }
}

async function list(url: string, member: string, context: ProcedureContext): Promise<JsonObject[]> {
  const { body } = await callJson({ method: 'GET', url, body: null }, context)
  return objectsOf(body[member])
}

function refusedAsEmpty(error: unknown): JsonObject[] {
  if (isUpstreamFault(error)) return []
  throw error
}

function modelInfo({ modelId: id, modelName: name, providerName: owner }: JsonObject): JsonObject[] {
  if (typeof id !== 'string') return []
  return [{ id, object: 'model', name, owned_by: typeof owner === 'string' ? owner : 'bedrock' }]
}

function profileInfo({ inferenceProfileId: id, inferenceProfileName: name }: JsonObject): JsonObject[] {
  return typeof id === 'string' ? [{ id, object: 'model', name, owned_by: 'bedrock' }] : []
}

/**
 * Models for lists without a call; the region and the account's agreements decide which of them an account can use.
 */
export const knownModels: readonly ModelInfo[] = [
  ['us.anthropic.claude-opus-4-6-v1', 'Anthropic'],
  ['us.anthropic.claude-sonnet-4-6', 'Anthropic'],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'Anthropic'],
  ['amazon.nova-pro-v1:0', 'Amazon'],
  ['amazon.nova-lite-v1:0', 'Amazon'],
  ['amazon.nova-micro-v1:0', 'Amazon'],
  ['amazon.nova-canvas-v1:0', 'Amazon'],
  ['amazon.titan-embed-text-v2:0', 'Amazon'],
  ['amazon.rerank-v1:0', 'Amazon'],
  ['cohere.embed-v4:0', 'Cohere'],
  ['cohere.rerank-v3-5:0', 'Cohere'],
  ['us.meta.llama3-3-70b-instruct-v1:0', 'Meta'],
  ['openai.gpt-oss-120b-1:0', 'OpenAI'],
  ['stability.sd3-5-large-v1:0', 'Stability AI'],
].map(([id = '', owned_by]) => ({ id, owned_by }))
