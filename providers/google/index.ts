/**
 * Google's Gemini API. Reference: https://ai.google.dev/api
 */
import type { Dialect, HttpEndpoint, JsonObject, ProviderAdapter, ProviderSettings } from '@gateway/contract'
import {
  batchEmbedDialect,
  batchEmbedNative,
  countContentDialect,
  embedContentNative,
  geminiDialect,
  geminiModelsDialect,
  generateAction,
  generateContentDialect,
  header,
  inlineGeminiMedia,
  pathSegments,
  resourceOf,
} from '@gateway/provider-kit'
import { models } from './models.ts'
import { notes } from './notes.ts'

/** The name of a tuned model includes its collection. */
function modelPath({ model }: JsonObject, { provider }: ProviderSettings): string {
  return `/${pathSegments(resourceOf(model), '/model', provider)}`
}

/** An action on a model in the caller's own format. */
const native = (action: string, dialect: Dialect): HttpEndpoint => ({
  kind: 'http',
  method: 'POST',
  path: (body, settings) => `${modelPath(body, settings)}:${action}`,
  dialect,
})

const adapter: ProviderAdapter = {
  name: 'google',
  title: 'Google Gemini',
  docs: 'https://ai.google.dev/api',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  credential: 'required',
  // Most models do not accept functions together with grounding.
  webSearch: () => ({ besideTools: false, allowedDomains: false }),
  auth: header({ name: 'x-goog-api-key' }),
  endpoints: {
    chatComplete: {
      kind: 'http',
      method: 'POST',
      path: (body, settings) => `${modelPath(body, settings)}:${generateAction(body)}`,
      dialect: geminiDialect,
      prepare: inlineGeminiMedia,
    },
    embed: {
      kind: 'http',
      method: 'POST',
      path: (body, settings) => `${modelPath(body, settings)}:batchEmbedContents`,
      dialect: batchEmbedDialect,
    },
    generateContent: {
      kind: 'http',
      method: 'POST',
      path: (body, settings) => `${modelPath(body, settings)}:${generateAction(body)}`,
      dialect: generateContentDialect,
    },
    countContentTokens: native('countTokens', countContentDialect),
    embedContent: native('embedContent', embedContentNative),
    batchEmbedContents: native('batchEmbedContents', batchEmbedNative),
    listModels: { kind: 'http', method: 'GET', path: '/models?pageSize=1000', dialect: geminiModelsDialect },
  },
  models,
  notes,
}

export default adapter
