/**
 * A Messages request → a chat completion request. Hints that do not change the meaning (`context_management`, `speed`,
 * …) and unknown members are dropped.
 * Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `invalid_body` with the path, for features without an equivalent in chat completions: requests that offer
 * only the vendor's tools, and containers.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { type DialectContext, isFilled, type Reader, refuse } from '@gateway/contract/dialect'
import { keptMarks } from './content.ts'
import { readConversation } from './conversation.ts'
import { readFormat, readReasoning } from './reasoning.ts'
import { readTools } from './tools.ts'

/** Members with the same name and meaning in a chat request. */
const sharedMembers = ['model', 'stream', 'temperature', 'top_p', 'top_k'] as const

/** Members of the format that are translated, dropped or refused. */
const ownMembers = [
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
]

/** All members of the format. */
export const requestMembers: ReadonlySet<string> = new Set([...sharedMembers, ...ownMembers])

/** Fields that cannot be dropped without losing meaning. */
const refused: Readonly<Record<string, string>> = {
  container: 'a container cannot be translated',
  inference_geo: 'the inference region cannot be translated',
}

/** Providers refuse longer user names. */
const longestUser = 64

/** The equivalent chat completion request. */
export function messagesRequest(body: JsonObject, context: DialectContext): JsonObject {
  refuseUnknown(body, context)
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
    ...shared(body),
  }
}

const shared = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    sharedMembers.flatMap((name): [string, Json | undefined][] =>
      body[name] === undefined ? [] : [[name, body[name]]],
    ),
  )

function refuseUnknown(body: JsonObject, reader: Reader): void {
  for (const [name, reason] of Object.entries(refused)) {
    const value = body[name]
    const isAbsent = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    if (!isAbsent) throw refuse(reader, `/${name}`, reason)
  }
}

/** Shortens a long name to one that is stable and unique. */
function readUser(metadata: Json | undefined): JsonObject {
  const user = isObject(metadata) ? metadata.user_id : undefined
  if (typeof user !== 'string') return {}
  return { user: user.length <= longestUser ? user : createHash('sha256').update(user).digest('hex') }
}

function readTier(tier: Json | undefined): JsonObject {
  if (tier === 'auto') return { service_tier: 'auto' }
  return tier === 'standard_only' ? { service_tier: 'default' } : {}
}
