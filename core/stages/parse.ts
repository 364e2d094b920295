/**
 * The inference body: read once, within the size limits, and checked against the endpoint's table.
 * Errors: 403 `missing_scope`, 400 `invalid_json`, `invalid_body` and `invalid_file` (every broken path), 413, 415.
 */
import {
  type EndpointId,
  type Fault,
  faultsError,
  GatewayError,
  isObject,
  type JsonObject,
} from '@gateway/contract'
import { requestSchemas } from '@gateway/contract/wire'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'
import { readRequest, sourceOf } from '../server/body/read-request.ts'
import { createValidator, isDeeperThan, toFaults, type Validator } from '../shared/validate.ts'
import { checkMayCallModels } from '../tenancy/identity/may-call-models.ts'

const maxDepth = 100
const validators = new Map<EndpointId, Validator>()

export async function parse(exchange: Exchange, next: Next): Promise<void> {
  checkMayCallModels(required(exchange.identity, 'identity'))
  const endpoint = required(exchange.endpoint, 'endpoint')
  const read = await readRequest(exchange, endpoint)
  const { body } = read
  checkBody(endpoint, body, read.sizeBytes, read.faults)
  exchange.body = body
  exchange.source = sourceOf(read)
  exchange.files = read.files
  exchange.raw = read.raw
  await next(exchange)
}

/**
 * Checks a body against the table of the endpoint; one that has none takes every object.
 * @param known what was found wrong already
 * @throws GatewayError `invalid_body` (or the code of what was known) with every broken path
 */
export function checkBody(
  endpoint: EndpointId,
  body: unknown,
  sizeBytes: number,
  known: readonly Fault[] = [],
): asserts body is JsonObject {
  if (!isObject(body))
    throw new GatewayError('invalid_body', 'The body must be a JSON object.', { param: '/' })
  if (isDeeperThan(body, maxDepth)) {
    throw new GatewayError('invalid_body', `The body is nested deeper than ${maxDepth} levels.`, {
      param: '/',
    })
  }
  const errors = validatorOf(endpoint)?.(body, sizeBytes) ?? null
  if (errors !== null || known.length > 0) {
    throw faultsError([...known, ...toFaults(errors ?? [], 'invalid_body')])
  }
}

function validatorOf(endpoint: EndpointId): Validator | null {
  const known = validators.get(endpoint)
  if (known !== undefined) return known
  const schema = requestSchemas[endpoint]
  if (schema === undefined) return null
  const made = createValidator(schema)
  validators.set(endpoint, made)
  return made
}
