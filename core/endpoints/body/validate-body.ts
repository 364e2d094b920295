/** Validates a request body against the schema of its endpoint. */
import {
  type Fault,
  faultsError,
  GatewayError,
  isGatewayError,
  isObject,
  type JsonObject,
} from '@gateway/contract'
import type { Endpoint } from '@gateway/flow'
import { checkDepth, createValidator, toFaults, type Validator } from '@gateway/validation'

/** Compiled on the endpoint's first body. */
const validators = new WeakMap<Endpoint, Validator>()

/**
 * Validates a body against the endpoint's schema; an endpoint without one accepts any object.
 * @param known errors found before
 * @throws GatewayError `invalid_body` (or the code of the first known error) with all errors
 */
export function checkBody(
  endpoint: Endpoint,
  body: unknown,
  sizeBytes: number,
  known: readonly Fault[] = [],
): asserts body is JsonObject {
  if (!isObject(body))
    throw new GatewayError('invalid_body', 'The body must be a JSON object.', { param: '/' })
  checkDepth(body)
  const errors = validatorOf(endpoint)?.(body, sizeBytes) ?? null
  if (errors !== null || known.length > 0) {
    throw faultsError([...known, ...toFaults(errors ?? [], 'invalid_body')])
  }
}

/**
 * Like `checkBody`, but accepts a body that lacks only members that a prompt can supply. Returns the errors of the
 * missing members; null for a complete body.
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
 * Fills in the members that a prompt can supply; null when none is missing. The result inherits from the body, because
 * copying a hostile body costs more than validating it.
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
