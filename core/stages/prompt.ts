/**
 * Renders the prompt of a leaf with the variables of the call; the call's own members override it. A leaf without a
 * prompt needs a complete body. A prompt error becomes the leaf's answer, so a fallback can continue. Errors: 400
 * `invalid_template`, 404 `unknown_prompt`.
 */
import { isGatewayError } from '@gateway/contract'
import {
  type Answer,
  type ConfigNode,
  faultAnswer,
  type Next,
  originOfNode,
  type Ports,
  type Resolved,
  type WithSetting,
} from '@gateway/flow'
import { runPrompt } from '../endpoints/index.ts'

export async function prompt(
  exchange: Resolved,
  next: Next<Resolved>,
  {
    setting: { reference, overridesAbove },
    ports,
  }: WithSetting<NonNullable<ConfigNode['prompt']>, Ports<'services'>>,
): Promise<Answer> {
  try {
    if (reference === null) {
      if (exchange.input.bodyFault !== null) throw exchange.input.bodyFault
    } else {
      await runPrompt(ports, exchange, { reference, overridesAbove })
    }
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return faultAnswer(error, {
      ...originOfNode(exchange.node),
      beforeResults: exchange.input.beforeResults,
    })
  }
  return next(exchange)
}
