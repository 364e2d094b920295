/**
 * Renders the prompt of a leaf with the variables of the call; the call's own members override it. A leaf without a
 * prompt needs a complete body. An error becomes the leaf's answer, so a fallback can continue. Errors: 400
 * `invalid_body` for the request, its variables or the rendered body, `invalid_template`, `schema_too_complex`, and
 * `unsupported_endpoint` for a prompt of another type; 404 `unknown_prompt`; 503 `store_unavailable`.
 */
import { isGatewayError } from '@gateway/contract'
import {
  type Answer,
  type ConfigNode,
  type Next,
  nodeFault,
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
    return nodeFault(exchange, error)
  }
  return next(exchange)
}
