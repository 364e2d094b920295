/**
 * Google's own models: Gemini for chat, Gemini and Imagen for images.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
import type { HttpEndpoint } from '@gateway/contract'
import {
  geminiDialect,
  geminiImageDialect,
  generateAction,
  imagenDialect,
  inlineGeminiMedia,
} from '@gateway/provider-kit'
import { modelPath } from './address.ts'
import type { Model } from './model.ts'

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
