/**
 * Models with the compatible format: Mistral's with `rawPredict`, other partners' at the shared `openapi` endpoint,
 * and models deployed in the project.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/mistral,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/maas/call-open-model-apis
 */
import type { Dialect, HttpEndpoint } from '@gateway/contract'
import {
  compatibleDialect,
  type EndpointRules,
  nineCharacters,
  nineOfMistral,
  systemRole,
  withGoogleErrors,
} from '@gateway/provider-kit'
import { locationPath, modelPath, resourcePath } from './address.ts'
import { type Model, modelOf, rawAction } from './model.ts'

const openRules: EndpointRules = { ...systemRole, toolCallIds: [nineOfMistral] }

/** It refuses unknown fields; the last chunk contains the usage. */
const mistralRules: EndpointRules = {
  ...systemRole,
  renames: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
  drops: ['stream_options', 'user', 'logit_bias', 'logprobs', 'top_logprobs'],
  messageDrops: ['name', 'annotations', 'audio', 'refusal', 'reasoning_content'],
  toolCallIds: [nineCharacters],
  ranges: { temperature: [0, 1.5] },
  usageIn: 'chunk',
  finishReasons: { model_length: 'length' },
}

/** The format with the endpoint's own name of the model. */
function named(rules: EndpointRules, nameOf: (model: Model) => string): Dialect {
  const dialect = compatibleDialect('chatComplete', rules)
  return {
    ...dialect,
    request: (body, context) => dialect.request({ ...body, model: nameOf(modelOf(body)) }, context),
    error: withGoogleErrors(dialect.error),
  }
}

const mistralDialect = named(mistralRules, ({ name }) => name)
const openDialect = named(openRules, ({ publisher, name }) => `${publisher}/${name}`)
/** An endpoint serves one model, for any name. */
const deployedDialect = named(openRules, () => '')

/** Chat completions of a Mistral model. */
export function mistralChat(model: Model): HttpEndpoint {
  return {
    kind: 'http',
    method: 'POST',
    path: (body, settings) => modelPath(settings, model, rawAction(body)),
    dialect: mistralDialect,
  }
}

/** Chat completions of another partner's model, or an open model served by the cloud. */
export const openChat: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: (_body, settings) => `${locationPath(settings)}/endpoints/openapi/chat/completions`,
  dialect: openDialect,
}

/** Chat completions of a model deployed in the project. */
export function deployedChat({ name }: Model): HttpEndpoint {
  return {
    kind: 'http',
    method: 'POST',
    path: (_body, settings) => `${resourcePath(settings, `endpoints/${name}`)}/chat/completions`,
    dialect: deployedDialect,
  }
}
