/** The Messages API. Source: https://platform.claude.com/docs/en/api/messages and …/api/errors */
import { isObject, type JsonObject } from '@gateway/contract'
import { listOf, member } from '../../conformance/vendors/vendor.ts'
import type { SeenRequest } from '../../support/upstream.ts'
import {
  type Conversation,
  type Format,
  names,
  Refusal,
  refuseName,
  refuseUnknown,
  refuseUnpaired,
  type Turn,
} from './conversation.ts'

const members =
  names(`model messages max_tokens system metadata stop_sequences stream temperature top_p top_k tools tool_choice
  thinking service_tier container context_management mcp_servers output_config output_format cache_control inference_geo speed`)
/** Members that need a beta, and a part of its name. */
const betas: Readonly<Record<string, string>> = {
  context_management: 'context-management',
  mcp_servers: 'mcp-client',
  container: 'code-execution',
}
const blockTypes =
  names(`text image document tool_use tool_result thinking redacted_thinking search_result server_tool_use
  web_search_tool_result`)

function read({ json, headers, path }: SeenRequest): Conversation {
  const body = json as JsonObject
  const isCount = path.includes('count_tokens')
  refuseUnknown(body, members, (name) => `${name}: Extra inputs are not permitted`)
  if (isObject(body.metadata)) {
    refuseUnknown(
      body.metadata,
      names('user_id'),
      (name) => `metadata.${name}: Extra inputs are not permitted`,
    )
  }
  const granted = String(headers['anthropic-beta'] ?? '')
  for (const [name, beta] of Object.entries(betas))
    if (body[name] !== undefined && !granted.includes(beta))
      throw new Refusal(`${name}: Extra inputs are not permitted`)
  if (!isCount && typeof body.max_tokens !== 'number') throw new Refusal('max_tokens: Field required')
  const budget = member(body, 'thinking', 'budget_tokens')
  if (typeof budget === 'number' && (budget < 1024 || budget >= Number(body.max_tokens)))
    throw new Refusal('`max_tokens` must be greater than `thinking.budget_tokens`')
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1
  if (marks > 4)
    throw new Refusal(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
  const tools = listOf(body.tools).map((tool, index) => {
    const name = refuseName(member(tool, 'name'), /^[a-zA-Z0-9_-]{1,128}$/, `tools.${index}.name`)
    if (member(tool, 'type') === undefined && member(tool, 'input_schema', 'type') !== 'object')
      throw new Refusal(`tools.${index}.custom.input_schema.type: Field required`)
    return { name }
  })
  return { turns: turnsOf(listOf(body.messages)), tools, isStreamed: body.stream === true }
}

const blocksOf = (message: unknown): readonly unknown[] => {
  const content = member(message, 'content')
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
}

const idsOf = (message: unknown, type: string, key: string) =>
  blocksOf(message)
    .filter((block) => member(block, 'type') === type)
    .map((block) => String(member(block, key)))

function turnsOf(messages: readonly unknown[]): Turn[] {
  if (messages.length === 0) throw new Refusal('messages: at least one message is required')
  return messages.flatMap((message, at): Turn[] => {
    const role = member(message, 'role')
    if (role !== 'user' && role !== 'assistant')
      throw new Refusal(`messages.${at}.role: unexpected ${String(role)}`)
    const blocks = blocksOf(message)
    if (blocks.length === 0 && at < messages.length - 1)
      throw new Refusal(`messages.${at}: all messages must have non-empty content`)
    for (const block of blocks) {
      const type = String(member(block, 'type'))
      if (!blockTypes.has(type)) throw new Refusal(`messages.${at}.content: Input tag '${type}' found`)
      if (type === 'text' && String(member(block, 'text')).trim() === '')
        throw new Refusal('messages: text content blocks must contain non-whitespace text')
      if (type === 'tool_use')
        refuseName(member(block, 'id'), /^[a-zA-Z0-9_-]+$/, `messages.${at}.content.tool_use.id`)
      if (type === 'thinking' && typeof member(block, 'signature') !== 'string')
        throw new Refusal(`messages.${at}.content.thinking.signature: Field required`)
    }
    if (role === 'assistant') {
      const calls = idsOf(message, 'tool_use', 'id')
      refuseUnpaired(calls, idsOf(messages[at + 1], 'tool_result', 'tool_use_id'), `messages.${at}`)
      return [{ kind: 'model' }, ...calls.map((id) => ({ kind: 'call' as const, id }))]
    }
    const results = idsOf(message, 'tool_result', 'tool_use_id')
    refuseUnpaired(idsOf(messages[at - 1], 'tool_use', 'id'), results, `messages.${at}`)
    return blocks.map(turnOf)
  })
}

function turnOf(block: unknown): Turn {
  const inner = member(block, 'content')
  const parts = typeof inner === 'string' ? [{ type: 'text', text: inner }] : listOf(inner)
  const images = (each: readonly unknown[]) => each.filter((part) => member(part, 'type') === 'image').length
  if (member(block, 'type') === 'tool_result') {
    const text = parts.map((part) => String(member(part, 'text') ?? '')).join('\n')
    return { kind: 'result', id: String(member(block, 'tool_use_id')), text, images: images(parts) }
  }
  return { kind: 'user', text: String(member(block, 'text') ?? ''), images: images([block]) }
}

export const anthropicMessages: Format = { read }
