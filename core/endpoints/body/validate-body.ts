/** Checks a request body against the schema of its endpoint. */
import { type Fault, faultsError, GatewayError, isObject, type JsonObject } from '@gateway/contract'
import type { Endpoint } from '../../flow/endpoint.ts'
import { createValidator, isDeeperThan, toFaults, type Validator } from '../../shared/validate.ts'

const maxDepth = 100

/** Compiled when a body of the endpoint comes for the first time. */
const validators = new WeakMap<Endpoint, Validator>()

/**
 * Checks a body against the endpoint's schema; an endpoint without one takes every object.
 * @param known what was found wrong already
 * @throws GatewayError `invalid_body` (or the code of what was known) with every broken path
 */
export function checkBody(
  endpoint: Endpoint,
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

function validatorOf(endpoint: Endpoint): Validator | null {
  const known = validators.get(endpoint)
  if (known !== undefined) return known
  if (endpoint.request === null) return null
  const made = createValidator(endpoint.request)
  validators.set(endpoint, made)
  return made
}
