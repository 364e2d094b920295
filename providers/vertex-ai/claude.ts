/**
 * Anthropic models: the Messages format, with the version in the body and the model in the path. The API accepts
 * images and documents only as bytes.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
 */
import type { Dialect, HttpEndpoint } from '@gateway/contract'
import {
  anthropicDialect,
  countTokensDialect,
  inlineMedia,
  messagesDialect,
  messagesHeaders,
  withGoogleErrors,
} from '@gateway/provider-kit'
import { modelPath } from './address.ts'
import { type Model, modelOf, rawAction } from './model.ts'

const anthropicVersion = 'vertex-2023-10-16'

/** Forwards the caller's beta features; the API version is the cloud's own. */
const passes = messagesHeaders.filter((name) => name !== 'anthropic-version')

/** The same format with the version in the body and without the model. */
function onVertex(dialect: Dialect): Dialect {
  return {
    ...dialect,
    request(body, context) {
      const { model: _, ...sent } = dialect.request(body, context)
      return { ...sent, anthropic_version: anthropicVersion }
    },
    error: withGoogleErrors(dialect.error),
  }
}

const chatDialect = onVertex(anthropicDialect)
const nativeDialect = onVertex(messagesDialect)

/** A token count calls a model of this name; the body contains the actual model. */
const countDialect: Dialect = {
  ...countTokensDialect,
  request: (body, context) => ({ ...countTokensDialect.request(body, context), model: modelOf(body).name }),
  error: withGoogleErrors(countTokensDialect.error),
}

const rawPath =
  (model: Model): HttpEndpoint['path'] =>
  (body, settings) =>
    modelPath(settings, model, rawAction(body))

/** Chat completions of a Claude model. */
export function claudeChat(model: Model): HttpEndpoint {
  return { kind: 'http', method: 'POST', path: rawPath(model), dialect: chatDialect, prepare: inlineMedia }
}

/** Messages of a Claude model, forwarded. */
export function claudeMessages(model: Model): HttpEndpoint {
  return { kind: 'http', method: 'POST', path: rawPath(model), dialect: nativeDialect, passes }
}

/** The number of tokens of a message to a Claude model. */
export function claudeCount({ publisher }: Model): HttpEndpoint {
  const counter: Model = { publisher, name: 'count-tokens' }
  const path: HttpEndpoint['path'] = (_body, settings) => modelPath(settings, counter, 'rawPredict')
  return { kind: 'http', method: 'POST', path, dialect: countDialect, passes }
}
