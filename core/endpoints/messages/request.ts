/**
 * A Messages request → a chat completion request. Fields that the format does not name go on unchanged, and beat what
 * is translated: so `override_params` can set parameters of chat completions for a translated target. Hints that change
 * no meaning (`context_management`, `speed`, …) are dropped.
 * Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `invalid_body` with the path for what has no unified form: tools of the vendor's, MCP servers, containers.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '../../flow/client-dialect.ts'
import { keptMarks } from './content.ts'
import { isFilled, readConversation } from './conversation.ts'
import { readFormat, readReasoning } from './reasoning.ts'
import { type Reader, refuse } from './refuse.ts'
import { readTools } from './tools.ts'

/** Fields of the format that are translated, dropped or refused; the others have the same name in both. */
const own = new Set([
  'system',
  'messages',
  'max_tokens',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'service_tier',
  'cache_control',
  'container',
  'mcp_servers',
  'inference_geo',
  'context_management',
  'diagnostics',
  'speed',
  'user_profile_id',
  'workspace_id',
])

/** What would be lost if it were dropped. */
const refused: Readonly<Record<string, string>> = {
  container: 'a container has no form there',
  mcp_servers: 'MCP servers have no form there',
  inference_geo: 'where the model runs cannot be asked for there',
}

/** Longer names of users are refused by providers. */
const longestUser = 64

/** The chat completion request that means the same. */
export function messagesRequest(body: JsonObject, context: DialectContext): JsonObject {
  refuseUnknown(body, context)
  const others = Object.entries(body).filter(([name]) => !own.has(name))
  return {
    messages: readConversation(body, context),
    ...(typeof body.max_tokens === 'number' ? { max_completion_tokens: body.max_tokens } : {}),
    ...readTools(body, context),
    ...readReasoning(body, context),
    ...readFormat(body),
    ...(isFilled(body.stop_sequences) ? { stop: body.stop_sequences } : {}),
    ...readUser(body.metadata),
    ...readTier(body.service_tier),
    ...keptMarks(body, context),
    ...Object.fromEntries(others),
  }
}

function refuseUnknown(body: JsonObject, reader: Reader): void {
  for (const [name, reason] of Object.entries(refused)) {
    const value = body[name]
    const isAbsent = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    if (!isAbsent) throw refuse(reader, `/${name}`, reason)
  }
}

/** A long name becomes one that is short, and still the same user's. */
function readUser(metadata: Json | undefined): JsonObject {
  const user = isObject(metadata) ? metadata.user_id : undefined
  if (typeof user !== 'string') return {}
  return { user: user.length <= longestUser ? user : createHash('sha256').update(user).digest('hex') }
}

function readTier(tier: Json | undefined): JsonObject {
  if (tier === 'auto') return { service_tier: 'auto' }
  return tier === 'standard_only' ? { service_tier: 'default' } : {}
}
