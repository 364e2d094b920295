/**
 * A `generateContent` request → a chat completion request. `safetySettings` and `labels` concern the vendor's own
 * filters and accounts and are left out; unknown members are dropped.
 * Reference: https://ai.google.dev/api/generate-content
 * Errors: `invalid_body` with the path, for cached contents, which only the vendor supports.
 */
import type { JsonObject } from '@gateway/contract'
import { type DialectContext, isFilled, refuse } from '@gateway/contract/dialect'
import { readConversation } from './conversation.ts'
import { readGenerationConfig } from './generation-config.ts'
import { readTools } from './tools.ts'

/** All members of the format that `contentRequest` reads or drops. */
export const requestMembers: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'cachedContent',
  'labels',
  'serviceTier',
  'store',
])

/** The equivalent chat completion request. */
export function contentRequest(body: JsonObject, context: DialectContext): JsonObject {
  if (typeof body.cachedContent === 'string' && body.cachedContent !== '')
    throw refuse(context, '/cachedContent', 'cached content cannot be translated')
  if (isFilled(body.safetySettings)) context.leftOut.push('/safetySettings')
  const messages = readConversation(body, context)
  if (messages.length === 0) throw refuse(context, '/contents', 'must say something')
  return {
    model: body.model,
    messages,
    ...readTools(body, context),
    ...readGenerationConfig(body, context),
    ...(body.stream === true ? { stream: true } : {}),
  }
}
