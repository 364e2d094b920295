/**
 * At a leaf of a tree with prompts: renders the leaf's prompt with the variables of the call; the call's own members
 * override it. A leaf without a prompt needs a complete body. A prompt error is the leaf's answer, so that a fallback
 * can continue.
 */
import { isGatewayError } from '@gateway/contract'
import { runPrompt } from '../endpoints/index.ts'
import { type Exchange, faultAnswer, type Next, originOfNode, required } from '../flow/index.ts'

export async function prompt(exchange: Exchange, next: Next): Promise<void> {
  const node = required(exchange.node, 'config node')
  const { reference, overridesAbove } = required(node.prompt, 'prompt')
  try {
    if (reference === null) {
      if (exchange.bodyFault !== null) throw exchange.bodyFault
    } else {
      await runPrompt(exchange, reference, overridesAbove)
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
