/** A run of a prompt as the inference call that it makes. Errors: `unknown_prompt`, and those of rendering. */
import {
  type DryRunCall,
  type InferencePrompt,
  isGatewayError,
  isObject,
  type JsonObject,
} from '@gateway/contract'
import { type Exchange, required } from '../../flow/exchange.ts'

/** A call, and the prompt whose text its body holds. */
export interface PlannedCall extends DryRunCall {
  prompt?: InferencePrompt
}

const promptPath = /^(?:\/v1)?\/prompts\/([^/]+)\/completions\/?$/

/** The same call where it runs no prompt. */
export async function promptCall(asking: Exchange, call: DryRunCall): Promise<PlannedCall> {
  const reference = promptPath.exec(call.endpoint.trim())?.[1]
  if (reference === undefined) return call
  try {
    return await render(asking, call, decodeURIComponent(reference), 'chatComplete')
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'unsupported_endpoint') throw error
    return render(asking, call, decodeURIComponent(reference), 'complete')
  }
}

async function render(
  asking: Exchange,
  call: DryRunCall,
  reference: string,
  endpoint: 'chatComplete' | 'complete',
): Promise<PlannedCall> {
  const { variables = {}, ...given } = call.body
  const rendered = await asking.runtime.services.renderPrompt({
    reference,
    identity: required(asking.identity, 'identity'),
    endpoint,
    variables: isObject(variables) ? (variables as JsonObject) : {},
    given,
  })
  return { ...call, endpoint, ...rendered }
}
