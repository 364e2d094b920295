/** Checks a request body against the schema of its endpoint. */
import {
  type Fault,
  faultsError,
  GatewayError,
  isDeeperThan,
  isGatewayError,
  isObject,
  type JsonObject,
} from '@gateway/contract'
import type { Endpoint } from '../../flow/endpoint.ts'
import { createValidator, toFaults, type Validator } from '../../shared/validate.ts'

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

/**
 * The same, but for a body that lacks only what a prompt may bring: gives what is missing, null for a whole body.
 * @throws GatewayError as `checkBody`
 */
export function checkBodyOrPrompt(
  endpoint: Endpoint,
  body: unknown,
  sizeBytes: number,
  known: readonly Fault[],
): GatewayError | null {
  try {
    checkBody(endpoint, body, sizeBytes, known)
    return null
  } catch (error) {
    const filled = withPromptMembers(endpoint, body)
    if (filled === null || !isGatewayError(error) || !isWhole(endpoint, filled, known)) throw error
    return error
  }
}

/**
 * A body that lacks something a prompt brings, with that filled in; null for any other one. It inherits what it has: a
 * copy of a hostile body costs more than checking it.
 */
function withPromptMembers({ promptMembers }: Endpoint, body: unknown): JsonObject | null {
  if (promptMembers === null || !isObject(body)) return null
  const lacking = Object.entries(promptMembers).filter(([name]) => body[name] === undefined)
  if (lacking.length === 0) return null
  const filled: JsonObject = Object.create(body)
  return Object.assign(filled, Object.fromEntries(lacking))
}

function isWhole(endpoint: Endpoint, body: JsonObject, known: readonly Fault[]): boolean {
  try {
    checkBody(endpoint, body, Number.POSITIVE_INFINITY, known)
    return true
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return false
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
