/**
 * A run of a prompt as the inference call that it makes. Errors: `unknown_prompt` at `/endpoint`, and those of
 * rendering.
 */
import {
  decodeSegment,
  GatewayError,
  type Identity,
  isGatewayError,
  isObject,
  type JsonObject,
  type PlannedCall,
  type ServiceContext,
} from '@gateway/contract'

/** A call with the body of the dry run. */
export type DryCall = PlannedCall & { body: JsonObject }

const promptPath = /^(?:\/v1)?\/prompts\/([^/]+)\/completions\/?$/

/** The call unchanged, if it runs no prompt. */
export async function promptCall(
  context: ServiceContext<'renderPrompt'>,
  identity: Identity,
  call: DryCall,
): Promise<PlannedCall> {
  const reference = promptPath.exec(call.path.trim())?.[1]
  if (reference === undefined) return call
  const prompt = { reference: decodeSegment(reference), identity }
  try {
    return await render(context, call, { ...prompt, endpoint: 'chatComplete' })
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'unsupported_endpoint') throw error
    return render(context, call, { ...prompt, endpoint: 'complete' })
  }
}

interface Prompt {
  reference: string
  identity: Identity
  endpoint: 'chatComplete' | 'complete'
}

async function render(
  context: ServiceContext<'renderPrompt'>,
  call: DryCall,
  prompt: Prompt,
): Promise<PlannedCall> {
  const { variables = {}, ...given } = call.body
  const rendered = await context
    .renderPrompt({ ...prompt, variables: isObject(variables) ? (variables as JsonObject) : {}, given })
    .catch((error: unknown) => {
      if (!isGatewayError(error) || error.code !== 'unknown_prompt') throw error
      throw new GatewayError('unknown_prompt', error.message, { param: '/endpoint' })
    })
  return { ...call, path: prompt.endpoint, ...rendered }
}
