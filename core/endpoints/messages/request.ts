/**
 * A Messages request → a chat completion request. Unknown fields are forwarded unchanged and override translated ones,
 * so that `override_params` can set chat completion parameters for a translated target. Hints that do not change the
 * meaning (`context_management`, `speed`, …) are dropped. Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `invalid_body` with the path for features without a unified form: the vendor's tools, MCP servers,
 * containers.
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

/** Fields that cannot be dropped without losing meaning. */
const refused: Readonly<Record<string, string>> = {
  container: 'a container cannot be translated',
  mcp_servers: 'MCP servers cannot be translated',
  inference_geo: 'the inference region cannot be translated',
}

/** Providers refuse longer user names. */
const longestUser = 64

/** The equivalent chat completion request. */
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

/** A long name is shortened to a stable unique one. */
function readUser(metadata: Json | undefined): JsonObject {
  const user = isObject(metadata) ? metadata.user_id : undefined
  if (typeof user !== 'string') return {}
  return { user: user.length <= longestUser ? user : createHash('sha256').update(user).digest('hex') }
}

function readTier(tier: Json | undefined): JsonObject {
  if (tier === 'auto') return { service_tier: 'auto' }
  return tier === 'standard_only' ? { service_tier: 'default' } : {}
}
