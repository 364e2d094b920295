/**
 * Google's own models: Gemini for chat, Gemini and Imagen for images.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
import type { HttpEndpoint } from '@gateway/contract'
import {
  embedContentNative,
  geminiDialect,
  geminiImageDialect,
  generateAction,
  generateContentDialect,
  imagenDialect,
  inlineGeminiMedia,
  vertexCountDialect,
} from '@gateway/provider-kit'
import { modelPath } from './address.ts'
import { embedsContents, type Model, unsupported } from './model.ts'

/** Chat completions of a Gemini model. */
export function geminiChat(model: Model): HttpEndpoint {
  return {
    kind: 'http',
    method: 'POST',
    path: (body, settings) => modelPath(settings, model, generateAction(body)),
    dialect: geminiDialect,
    prepare: inlineGeminiMedia,
  }
}

/** Images of an Imagen or a Gemini model. */
export function googleImages(model: Model): HttpEndpoint {
  const isImagen = model.name.startsWith('imagen')
  return {
    kind: 'http',
    method: 'POST',
    path: (_body, settings) => modelPath(settings, model, isImagen ? 'predict' : 'generateContent'),
    dialect: isImagen ? imagenDialect : geminiImageDialect,
  }
}

/** Contents of a Gemini model in the caller's own format. */
export function geminiContent(model: Model): HttpEndpoint {
  return {
    kind: 'http',
    method: 'POST',
    path: (body, settings) => modelPath(settings, model, generateAction(body)),
    dialect: generateContentDialect,
  }
}

/** The number of tokens of contents. */
export function geminiCount(model: Model): HttpEndpoint {
  return {
    kind: 'http',
    method: 'POST',
    path: (_body, settings) => modelPath(settings, model, 'countTokens'),
    dialect: vertexCountDialect,
  }
}

/** The embedding of one content; older models have predictions instead. */
export function geminiEmbedding(model: Model): HttpEndpoint {
  if (!embedsContents(model)) throw unsupported(model, 'embedContent')
  return {
    kind: 'http',
    method: 'POST',
    path: (_body, settings) => modelPath(settings, model, 'embedContent'),
    dialect: embedContentNative,
  }
}
