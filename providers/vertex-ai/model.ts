/**
 * The publisher and model of a name: `publisher/model` or, for older models, `publisher.model`; the full resource
 * name; `endpoints/ID` for a model deployed in the project (`google/endpoints/ID` for a tuned Gemini); a plain name
 * belongs to Google, except known names of Anthropic and Mistral models.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/use-partner-models
 */
import { GatewayError, type JsonObject } from '@gateway/contract'

export interface Model {
  publisher: string
  /** The name without its publisher. */
  name: string
}

const forms = [
  /^(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/(?<publisher>[^/]+)\/models\/(?<name>.+)$/,
  /^projects\/[^/]+\/locations\/[^/]+\/(?<publisher>endpoints)\/(?<name>.+)$/,
  /^(?<publisher>[a-z0-9][a-z0-9-]*)\/(?<name>.+)$/,
  /^(?<publisher>google|anthropic|meta|mistralai|endpoints)\.(?<name>.+)$/,
]

const bareNames: readonly [RegExp, string][] = [
  [/^claude-/, 'anthropic'],
  [/^(?:mistral|ministral|codestral)-/, 'mistralai'],
]

/**
 * The model of a request. A plain unknown name belongs to the publisher of its base model.
 * Errors: `invalid_body` for a request without a model.
 */
export function modelOf({ model }: JsonObject, baseModel: string | null = null): Model {
  if (typeof model !== 'string' || model === '') {
    throw new GatewayError('invalid_body', '/model: is required (provider vertex-ai)', {
      param: '/model',
    })
  }
  for (const form of forms) {
    const { publisher, name } = form.exec(model)?.groups ?? {}
    if (publisher !== undefined && name !== undefined) return { publisher, name }
  }
  if (baseModel !== null) return { publisher: modelOf({ model: baseModel }).publisher, name: model }
  const known = bareNames.find(([pattern]) => pattern.test(model))
  return { publisher: known?.[1] ?? 'google', name: model }
}

/** The resource of the model, below the location: a publisher's model, or an endpoint of the project. */
export function resourceOf({ publisher, name }: Model): string {
  return name.startsWith('endpoints/') ? name : `publishers/${publisher}/models/${name}`
}

/** The action on a partner's model in its own format: plain, or streamed. */
export const rawAction = ({ stream }: JsonObject): string =>
  stream === true ? 'streamRawPredict' : 'rawPredict'

/** The error for a model that has no such endpoint. */
export function unsupported({ publisher, name }: Model, endpoint: string): GatewayError {
  return new GatewayError(
    'unsupported_endpoint',
    `The provider vertex-ai does not support ${endpoint} for the model ${publisher}/${name}.`,
  )
}

/** Whether an embedding model has `embedContent`; older ones have predictions. */
export const embedsContents = ({ name }: Model): boolean =>
  (name.includes('gemini') || name.includes('maas')) && name !== 'gemini-embedding-001'
