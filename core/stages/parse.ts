/**
 * The inference body: read once, within the size limit, and checked against the specification's table.
 * Errors: 403 `missing_scope`, 400 `invalid_json` and `invalid_body` (every broken path), 413, 415.
 */
import {
  type EndpointId,
  faultsError,
  GatewayError,
  type InferenceEndpoint,
  isObject,
  type JsonObject,
} from '../contract/index.ts'
import { requestSchemas } from '../contract/wire/index.ts'
import { type Exchange, required } from '../exchange.ts'
import type { Next } from '../stage.ts'
import { createValidator, isDeeperThan, toFaults, type Validator } from '../validate.ts'

const maxDepth = 100
const validators = new Map<EndpointId, Validator>()

export async function parse(exchange: Exchange, next: Next): Promise<void> {
  const identity = required(exchange.identity, 'identity')
  if (!identity.scopes.has('completions.write') && !identity.scopes.has('*')) {
    throw new GatewayError('missing_scope', 'This key lacks the scope completions.write.', {
      param: 'completions.write',
    })
  }
  const endpoint = required(exchange.endpoint, 'endpoint')
  const { body, text, sizeBytes } = await exchange.transport.readJson({
    maxBytes: exchange.settings.bodyLimitBytes,
  })
  checkBody(endpoint, body, sizeBytes)
  exchange.body = body
  exchange.source = text === null ? null : { body, text }
  await next()
}

/**
 * Checks a body against the specification's table of the endpoint.
 * @throws GatewayError `invalid_body` with every broken path
 */
export function checkBody(
  endpoint: EndpointId,
  body: unknown,
  sizeBytes: number,
): asserts body is JsonObject {
  if (!isObject(body))
    throw new GatewayError('invalid_body', 'The body must be a JSON object.', { param: '/' })
  if (isDeeperThan(body, maxDepth)) {
    throw new GatewayError('invalid_body', `The body is nested deeper than ${maxDepth} levels.`, {
      param: '/',
    })
  }
  let validate = validators.get(endpoint)
  if (validate === undefined) {
    validate = createValidator(requestSchemas[endpoint as InferenceEndpoint])
    validators.set(endpoint, validate)
  }
  const errors = validate(body, sizeBytes)
  if (errors !== null) throw faultsError(toFaults(errors, 'invalid_body'))
}
