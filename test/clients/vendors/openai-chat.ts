/**
 * Chat completions as OpenAI and Groq take them.
 * Source: https://platform.openai.com/docs/api-reference/chat/create, https://console.groq.com/docs/api-reference
 */
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

interface Rules {
  members: ReadonlySet<string>
  unknown(name: string): string
  toolTypes: ReadonlySet<string>
  roles: ReadonlySet<string>
  /** Refusals of its own. */
  more?(body: JsonObject): void
}

const common = `model messages stream stream_options temperature top_p max_tokens max_completion_tokens tools tool_choice
  parallel_tool_calls response_format seed stop user n reasoning_effort frequency_penalty presence_penalty logit_bias logprobs
  top_logprobs service_tier metadata store functions function_call`

const openai: Rules = {
  members:
    names(`${common} audio modalities moderation prediction prompt_cache_key prompt_cache_retention safety_identifier
    verbosity web_search_options`),
  unknown: (name) => `Unrecognized request argument supplied: ${name}`,
  toolTypes: names('function custom'),
  roles: names('developer system user assistant tool function'),
  more(body) {
    if (!/^(gpt-5|o\d)/.test(String(body.model))) return
    if (body.max_tokens !== undefined)
      throw new Refusal(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      )
    if (typeof body.temperature === 'number' && body.temperature !== 1)
      throw new Refusal("Unsupported value: 'temperature' does not support this value with this model.")
  },
}

const groq: Rules = {
  members: names(`${common} citation_options compound_custom disable_tool_validation documents exclude_domains
    include_domains include_reasoning reasoning_format search_settings`),
  unknown: (name) => `property '${name}' is unsupported`,
  toolTypes: names('function'),
  roles: names('system user assistant tool'),
}

function read(rules: Rules, { json }: SeenRequest): Conversation {
  const body = json as JsonObject
  refuseUnknown(body, rules.members, rules.unknown)
  rules.more?.(body)
  const tools = listOf(body.tools).map((tool, index) => {
    const type = String(member(tool, 'type'))
    if (!rules.toolTypes.has(type)) throw new Refusal(`tools[${index}].type: unsupported ${type}`)
    const name = member(tool, type, 'name')
    return { name: refuseName(name, /^[a-zA-Z0-9_-]{1,64}$/, `tools[${index}].${type}.name`) }
  })
  if (body.tools !== undefined && tools.length === 0) throw new Refusal("Invalid 'tools': empty array.")
  if (tools.length === 0 && body.tool_choice !== undefined && body.tool_choice !== 'none')
    throw new Refusal(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    )
  return { turns: turnsOf(rules, listOf(body.messages)), tools, isStreamed: body.stream === true }
}

function turnsOf(rules: Rules, messages: readonly unknown[]): Turn[] {
  return messages.flatMap((message, at): Turn[] => {
    const role = String(member(message, 'role'))
    if (!rules.roles.has(role))
      throw new Refusal(`messages[${at}].role: '${role}' is not one of the supported roles`)
    const content = member(message, 'content')
    const calls = listOf(member(message, 'tool_calls'))
    if (content === null || content === undefined) {
      if (role !== 'assistant' || (calls.length === 0 && member(message, 'refusal') === undefined))
        throw new Refusal(`Invalid value for 'content': expected a string, got null (messages[${at}])`)
    }
    const { text, images } = contentOf(content)
    if (role === 'user') return [{ kind: 'user', text, images }]
    if (role === 'tool')
      return [{ kind: 'result', id: String(member(message, 'tool_call_id')), text, images }]
    if (role !== 'assistant') return []
    const ids = calls.map((call) => String(member(call, 'id')))
    const after = messages.slice(at + 1)
    const end = after.findIndex((each) => member(each, 'role') !== 'tool')
    const results = (end === -1 ? after : after.slice(0, end)).map((each) =>
      String(member(each, 'tool_call_id')),
    )
    refuseUnpaired(ids, results, `messages[${at}].tool_calls`)
    for (const call of calls) {
      if (
        typeof member(call, 'function', 'arguments') !== 'string' &&
        member(call, 'custom', 'input') === undefined
      )
        throw new Refusal(`messages[${at}].tool_calls: arguments must be a string`)
    }
    return [{ kind: 'model' }, ...ids.map((id) => ({ kind: 'call' as const, id }))]
  })
}

function contentOf(content: unknown): { text: string; images: number } {
  if (typeof content === 'string') return { text: content, images: 0 }
  const parts = listOf(content).filter(isObject)
  const texts = parts.map(({ text }) => (typeof text === 'string' ? text : ''))
  return { text: texts.join('\n'), images: parts.filter(({ type }) => type === 'image_url').length }
}

export const openaiChat: Format = { read: (request) => read(openai, request) }
export const groqChat: Format = { read: (request) => read(groq, request) }
