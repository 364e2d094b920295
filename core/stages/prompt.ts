/**
 * At a leaf of a tree with prompts: the body is that of the prompt which the leaf names, with the variables of the call,
 * and what the call itself says over it. A leaf without one needs a whole body. A prompt that cannot run is the leaf's
 * answer, so that a fallback can go on.
 */
import { GatewayError, isGatewayError, isObject, type JsonObject } from '@gateway/contract'
import { overrideBody } from '../config/override-body.ts'
import { checkBody } from '../endpoints/body/validate-body.ts'
import { faultAnswer, originOfNode } from '../flow/answer.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'

export async function prompt(exchange: Exchange, next: Next): Promise<void> {
  const node = required(exchange.node, 'config node')
  const { reference, overridesAbove } = required(node.prompt, 'prompt')
  try {
    if (reference === null) {
      if (exchange.bodyFault !== null) throw exchange.bodyFault
    } else {
      await render(exchange, reference, overridesAbove)
    }
  } catch (error) {
    if (!isGatewayError(error)) throw error
    exchange.answer = faultAnswer(error, {
      ...originOfNode(node),
      beforeResults: exchange.beforeResults,
    })
    return
  }
  await next(exchange)
}

async function render(
  exchange: Exchange,
  reference: string,
  overridesAbove: readonly JsonObject[],
): Promise<void> {
  const endpoint = required(exchange.endpoint, 'endpoint')
  const asked = exchange.prompt ?? askedOf(exchange.body)
  const { body, prompt } = await exchange.runtime.services.renderPrompt({
    reference,
    identity: required(exchange.identity, 'identity'),
    endpoint: endpoint.id,
    variables: asked.variables,
    given: asked.given,
  })
  const overridden = overridesAbove.reduce(overrideBody, body)
  checkBody(endpoint, overridden, 0)
  exchange.body = overridden
  exchange.source = null
  exchange.bodyFault = null
  exchange.prompt = prompt
  exchange.ledger.prompt = prompt
}

/** Of a call that runs no prompt by itself: its variables, and everything else. */
function askedOf({ variables = {}, ...given }: JsonObject): { variables: JsonObject; given: JsonObject } {
  if (isObject(variables)) return { variables, given }
  throw new GatewayError('invalid_body', '/variables: must be object', { param: '/variables' })
}
