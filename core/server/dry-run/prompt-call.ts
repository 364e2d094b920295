/**
 * A run of a prompt as the inference call that it makes. Errors: `unknown_prompt` at `/endpoint`, and those of
 * rendering.
 */
import {
  type DryRunCall,
  decodeSegment,
  GatewayError,
  type InferencePrompt,
  isGatewayError,
  isObject,
  type JsonObject,
} from '@gateway/contract'
import type { Authenticated, Ports } from '../../flow/index.ts'

/** A call, and the prompt from which its body was rendered. */
export interface PlannedCall extends DryRunCall {
  prompt?: InferencePrompt
}

const promptPath = /^(?:\/v1)?\/prompts\/([^/]+)\/completions\/?$/

/** The call unchanged, if it runs no prompt. */
export async function promptCall(
  ports: Ports<'services'>,
  asking: Authenticated,
  call: DryRunCall,
): Promise<PlannedCall> {
  const reference = promptPath.exec(call.endpoint.trim())?.[1]
  if (reference === undefined) return call
  const name = decodeSegment(reference)
  try {
    return await render(ports, asking, call, name, 'chatComplete')
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'unsupported_endpoint') throw error
    return render(ports, asking, call, name, 'complete')
  }
}

async function render(
  ports: Ports<'services'>,
  asking: Authenticated,
  call: DryRunCall,
  reference: string,
  endpoint: 'chatComplete' | 'complete',
): Promise<PlannedCall> {
  const { variables = {}, ...given } = call.body
  const rendered = await ports.services
    .renderPrompt({
      reference,
      identity: asking.identity,
      endpoint,
      variables: isObject(variables) ? (variables as JsonObject) : {},
      given,
    })
    .catch((error: unknown) => {
      if (!isGatewayError(error) || error.code !== 'unknown_prompt') throw error
      throw new GatewayError('unknown_prompt', error.message, { param: '/endpoint' })
    })
  return { ...call, endpoint, ...rendered }
}
