/**
 * Google Vertex AI: models of Google and its partners, in the project of the settings.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest
 */
import type { ChoiceEndpoint, HttpEndpoint, JsonObject, ProviderAdapter } from '@gateway/contract'
import { cloudFiles, googleAuth } from '@gateway/provider-kit'
import { baseUrlOf } from './address.ts'
import { batchEndpoints, batchLines } from './batches.ts'
import { claudeChat, claudeCount, claudeMessages } from './claude.ts'
import { deployedChat, mistralChat, openChat } from './compatible.ts'
import { configurations } from './configurations.ts'
import { googleEmbeddings } from './embeddings.ts'
import { fineTuningJobs } from './fine-tuning.ts'
import { geminiChat, geminiContent, geminiCount, geminiEmbedding, googleImages } from './google-models.ts'
import { type Model, modelOf, unsupported } from './model.ts'
import { models } from './models.ts'
import { notes } from './notes.ts'
import { ownIdentity } from './own-identity.ts'
import { gcsStore } from './storage.ts'

/** Publishers whose models do not use the compatible format at the shared endpoint. */
const chats: Readonly<Record<string, (model: Model) => HttpEndpoint>> = {
  google: geminiChat,
  anthropic: claudeChat,
  mistralai: mistralChat,
  endpoints: deployedChat,
}

const chooseChat: ChoiceEndpoint['choose'] = (body, _settings, baseModel) => {
  const model = modelOf(body, baseModel)
  const chat = Object.hasOwn(chats, model.publisher) ? chats[model.publisher] : undefined
  return chat === undefined ? openChat : chat(model)
}

/** The model of a request, which must belong to this publisher. */
function modelBy(
  publisher: string,
  endpoint: string,
  { body, baseModel }: { body: JsonObject; baseModel?: string | null | undefined },
): Model {
  const model = modelOf(body, baseModel)
  if (model.publisher !== publisher) throw unsupported(model, endpoint)
  return model
}

const adapter: ProviderAdapter = {
  name: 'vertex-ai',
  priceList: 'google',
  title: 'Google Vertex AI',
  docs: 'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest',
  baseUrl: baseUrlOf,
  credential: 'required',
  webSearch(model) {
    const { publisher } = modelOf({ model })
    if (publisher === 'google') return { besideTools: false, allowedDomains: false }
    return publisher === 'anthropic' ? { besideTools: true, allowedDomains: true } : null
  },
  auth: googleAuth(),
  ownIdentity,
  endpoints: {
    chatComplete: { kind: 'choice', choose: chooseChat },
    embed: {
      kind: 'choice',
      choose: (body, _, base) =>
        googleEmbeddings(modelBy('google', 'embed', { body, baseModel: base }), body),
    },
    imageGenerate: {
      kind: 'choice',
      choose: (body, _, base) => googleImages(modelBy('google', 'imageGenerate', { body, baseModel: base })),
    },
    generateContent: {
      kind: 'choice',
      choose: (body, _, base) =>
        geminiContent(modelBy('google', 'generateContent', { body, baseModel: base })),
    },
    countContentTokens: {
      kind: 'choice',
      choose: (body, _, base) =>
        geminiCount(modelBy('google', 'countContentTokens', { body, baseModel: base })),
    },
    embedContent: {
      kind: 'choice',
      choose: (body, _, base) =>
        geminiEmbedding(modelBy('google', 'embedContent', { body, baseModel: base })),
    },
    messages: {
      kind: 'choice',
      passes: ['anthropic-beta'],
      choose: (body, _, base) => claudeMessages(modelBy('anthropic', 'messages', { body, baseModel: base })),
    },
    countTokens: {
      kind: 'choice',
      passes: ['anthropic-beta'],
      choose: (body, _, base) => claudeCount(modelBy('anthropic', 'countTokens', { body, baseModel: base })),
    },
    ...cloudFiles(gcsStore),
    ...batchEndpoints,
    ...fineTuningJobs,
  },
  batchLines,
  configurations,
  stored: { required: [], keyed: { member: 'vertex_auth_type', values: [] } },
  models,
  notes,
}

export default adapter
