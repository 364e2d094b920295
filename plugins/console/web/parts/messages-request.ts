/**
 * Converts a chat completion request to a request of the Messages API. Members that only chat completions have go into
 * `extra_body`, from which the gateway adds them to the chat request of a provider. Reference:
 * https://platform.claude.com/docs/en/api/messages
 */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'

/** `/v1/messages` requires a limit. */
const defaultMaxTokens = 1024

export function messagesRequestOf(chat: Row): Row {
  const {
    model,
    messages,
    prompt,
    max_tokens: maxTokens,
    max_completion_tokens: maxCompletionTokens,
    temperature,
    stop,
    user,
    tools,
    functions,
    tool_choice: choice,
    function_call: legacyChoice,
    parallel_tool_calls: isParallel,
    reasoning_effort: effort,
    response_format: format,
    service_tier: tier,
    // An answer in this format has one choice, and its streams always include the usage.
    n: _n,
    stream_options: _options,
    ...others
  } = chat
  const said = messages === undefined ? [{ role: 'user', content: prompt }] : rowsOf(messages)
  const { output, rest } = outputOf(effort, format)
  return {
    model: model ?? 'MODEL',
    max_tokens: maxCompletionTokens ?? maxTokens ?? defaultMaxTokens,
    ...systemOf(said.filter(isSystem)),
    messages: conversationOf(said.filter((one) => !isSystem(one))),
    // Chat completions allow up to 2.
    ...(typeof temperature === 'number' ? { temperature: Math.min(temperature, 1) } : {}),
    ...(isSet(stop) ? { stop_sequences: Array.isArray(stop) ? stop : [stop] } : {}),
    ...(typeof tier === 'string' ? { service_tier: tier === 'default' ? 'standard_only' : tier } : {}),
    ...(isSet(user) ? { metadata: { user_id: user } } : {}),
    ...toolsOf(tools, functions),
    ...choiceOf(choice ?? legacyChoice, isParallel),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    ...sharedOf(others),
    ...extraOf({ ...rest, ...others }),
  }
}

/** Parameters with the same name and meaning in both formats. */
const shared: ReadonlySet<string> = new Set(['stream', 'top_p', 'top_k', 'thinking'])

const sharedOf = (members: Row): Row =>
  Object.fromEntries(Object.entries(members).filter(([name]) => shared.has(name)))

function extraOf(members: Row): Row {
  const extra = Object.entries(members).filter(([name]) => !shared.has(name))
  return extra.length === 0 ? {} : { extra_body: Object.fromEntries(extra) }
}

const isSet = (value: unknown) => value !== undefined && value !== null
const isSystem = ({ role }: Row) => role === 'system' || role === 'developer'

function systemOf(messages: readonly Row[]): Row {
  if (messages.length === 0) return {}
  const blocks = messages.flatMap(({ content }) => blocksOf(content))
  return { system: messages.length === 1 ? messages[0]?.content : blocks }
}

const blocksOf = (content: unknown): Row[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : rowsOf(content).map(blockOf)

function blockOf(part: Row): Row {
  if (part.type !== 'image_url') return part
  const url = String(rowOf(part.image_url).url)
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url)
  const source = data === null ? { type: 'url', url } : { type: 'base64', media_type: data[1], data: data[2] }
  return { type: 'image', source }
}

/** Tool results are content of the user. All results of one turn go into one message. */
function conversationOf(messages: readonly Row[]): Row[] {
  const turns: Row[] = []
  let results: Row[] = []
  for (const { role, content, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === 'tool') {
      if (results.length === 0) turns.push({ role: 'user', content: results })
      results.push({ type: 'tool_result', tool_use_id: id, content })
      continue
    }
    results = []
    const uses = rowsOf(calls).map(useOf)
    const isPlain = uses.length === 0 && typeof content === 'string'
    turns.push({
      role: role === 'assistant' ? role : 'user',
      content: isPlain ? content : [...blocksOf(content), ...uses],
    })
  }
  return turns
}

function useOf({ id, function: called }: Row): Row {
  const { name, arguments: text } = rowOf(called)
  return { type: 'tool_use', id, name, input: inputOf(String(text)) }
}

/** A template may contain arguments that are not JSON before it is rendered. */
function inputOf(text: string): Row {
  try {
    return rowOf(JSON.parse(text))
  } catch {
    return { arguments: text }
  }
}

function toolsOf(tools: unknown, functions: unknown): Row {
  const definitions = [...rowsOf(tools).map((one) => rowOf(one.function)), ...rowsOf(functions)]
  if (definitions.length === 0) return {}
  return {
    tools: definitions.map(({ parameters, ...one }) => ({
      ...one,
      input_schema: parameters ?? { type: 'object' },
    })),
  }
}

const choices: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'any' }

/** @param choice choice of a tool, or of a function in the older format */
function choiceOf(choice: unknown, isParallel: unknown): Row {
  const serial = isParallel === false ? { disable_parallel_tool_use: true } : {}
  if (typeof choice === 'string') return { tool_choice: { type: choices[choice] ?? 'auto', ...serial } }
  if (isSet(choice)) {
    const { function: called, name = rowOf(called).name } = rowOf(choice)
    return { tool_choice: { type: 'tool', name, ...serial } }
  }
  return isParallel === false ? { tool_choice: { type: 'auto', ...serial } } : {}
}

/** The effort and the schema of the answer become members of `output_config`. Other formats have no equivalent. */
function outputOf(effort: unknown, format: unknown): { output: Row; rest: Row } {
  const { type, json_schema: named } = rowOf(format)
  const hasSchema = type === 'json_schema'
  return {
    output: {
      ...(isSet(effort) ? { effort } : {}),
      ...(hasSchema ? { format: { type, schema: rowOf(named).schema } } : {}),
    },
    rest: isSet(format) && !hasSchema ? { response_format: format } : {},
  }
}
