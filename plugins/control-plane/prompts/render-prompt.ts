/**
 * Renders the prompt that a config's `prompt_id` refers to. Errors: `unknown_prompt`, `unsupported_endpoint`, those of
 * rendering.
 */
import { GatewayError, type PromptRequest, type RenderedPrompt, type ServiceContext } from '@gateway/contract'
import { catalogueOf } from './catalogue.ts'
import { checkVariables, promptOf, renderBody } from './render.ts'

const endpoints = { chat: 'chatComplete', completion: 'complete' } as const

export async function renderPrompt(
  context: ServiceContext<'bodyLimitBytes' | 'documents' | 'fileDocuments' | 'stopping'>,
  request: PromptRequest,
): Promise<RenderedPrompt> {
  const { reference, identity, endpoint, variables, given } = request
  const prompt = await catalogueOf(context).find(reference, identity)
  const { slug, content, kind, fits } = prompt
  if (endpoint !== endpoints[kind.type]) {
    throw new GatewayError(
      'unsupported_endpoint',
      `The prompt "${slug}" is for ${endpoints[kind.type]}, but this request is for ${endpoint}.`,
    )
  }
  await checkVariables(fits, variables, { signal: context.stopping })
  const { body, missing } = await renderBody(prompt, content, {
    variables,
    given,
    maxBytes: context.bodyLimitBytes(),
  })
  return {
    body,
    prompt: promptOf(prompt, { variables, given, missing }),
  }
}
