/** Renders the body for a config's leaf with a prompt. */

import { overrideBody } from '@gateway/config'
import { GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { changeInput, type Ports, type Routed } from '@gateway/flow'
import { checkBody } from './validate-body.ts'

interface RunPromptOptions {
  reference: string
  overridesAbove: readonly JsonObject[]
}

/**
 * Replaces the exchange's body with the rendered one. Errors: those of the prompt, and `invalid_body` for the rendered
 * body.
 */
export async function runPrompt(
  ports: Ports<'services'>,
  exchange: Routed,
  { reference, overridesAbove }: RunPromptOptions,
): Promise<void> {
  const endpoint = exchange.endpoint
  const asked = exchange.input.prompt ?? askedOf(exchange.input.body)
  const { body, prompt } = await ports.services.renderPrompt({
    reference,
    identity: exchange.caller.identity,
    endpoint: endpoint.id,
    variables: asked.variables,
    given: asked.given,
  })
  const overridden = overridesAbove.reduce(overrideBody, body)
  checkBody(endpoint, overridden, 0)
  changeInput(exchange, { body: overridden, source: null, bodyFault: null, prompt })
  exchange.request.ledger.prompt = prompt
}

/** Splits the body of a call that has not rendered a prompt yet: its variables, and everything else. */
function askedOf({ variables = {}, ...given }: JsonObject): { variables: JsonObject; given: JsonObject } {
  if (isObject(variables)) return { variables, given }
  throw new GatewayError('invalid_body', '/variables: must be object', { param: '/variables' })
}
