/** OpenAI's Responses API. Source: https://platform.openai.com/docs/api-reference/responses and …/responses-streaming */
import { isObject, type JsonObject } from '@gateway/contract'
import {
  eventAnswer,
  jsonAnswer,
  listOf,
  member,
  type Said,
  type VendorAnswer,
} from '../../conformance/vendors/vendor.ts'
import type { SeenRequest } from '../../support/upstream.ts'
import {
  type Conversation,
  type Format,
  names,
  type OfferedTool,
  Refusal,
  refuseName,
  refuseUnknown,
  type Turn,
} from './conversation.ts'

const members =
  names(`background client_metadata context_management conversation include input instructions max_output_tokens
  max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention
  reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p
  truncation user`)
const toolTypes =
  names(`function custom namespace tool_search local_shell shell apply_patch web_search web_search_preview file_search
  code_interpreter image_generation mcp computer_use_preview`)
const outputTypes = names(
  'function_call_output custom_tool_call_output local_shell_call_output tool_search_output',
)
const callTypes = names('function_call custom_tool_call local_shell_call')

function read({ json }: SeenRequest): Conversation {
  const body = json as JsonObject
  refuseUnknown(body, members, (name) => `Unknown parameter: '${name}'.`)
  const tools = listOf(body.tools).flatMap((tool, at): OfferedTool[] => {
    const type = String(member(tool, 'type'))
    if (!toolTypes.has(type)) throw new Refusal(`Invalid value: '${type}' (tools[${at}].type).`)
    if (type !== 'function' && type !== 'custom') return []
    const name = refuseName(member(tool, 'name'), /^[a-zA-Z0-9_-]{1,128}$/, `tools[${at}].name`)
    return [{ name, isText: type === 'custom' }]
  })
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)
  const isCompacted = input.some((item) => member(item, 'type') === 'compaction_trigger')
  if (isCompacted && member(input.at(-1), 'type') !== 'compaction_trigger')
    throw new Refusal("Invalid 'input': 'compaction_trigger' must be the final input item.")
  return { turns: turnsOf(input), tools, isStreamed: body.stream === true, isCompacted }
}

/** Text that only the vendor can read. */
const closed = (text: string) => Buffer.from(`openai:${text}`).toString('base64')

function opened(content: unknown): string {
  const text = Buffer.from(String(content), 'base64').toString()
  if (!text.startsWith('openai:')) throw new Refusal('The encrypted content could not be verified.')
  return text.slice('openai:'.length)
}

function turnsOf(input: readonly unknown[]): Turn[] {
  const ids = (types: ReadonlySet<string>) =>
    new Set(
      input
        .filter((item) => types.has(String(member(item, 'type'))))
        .map((item) => String(member(item, 'call_id'))),
    )
  const called = ids(callTypes)
  const answered = ids(outputTypes)
  for (const id of called)
    if (!answered.has(id)) throw new Refusal(`No tool output found for function call ${id}.`)
  return input.flatMap((item): Turn[] => {
    const type = String(member(item, 'type') ?? 'message')
    const id = String(member(item, 'call_id'))
    if (callTypes.has(type)) return [{ kind: 'call', id }]
    if (outputTypes.has(type)) {
      if (type !== 'tool_search_output' && !called.has(id))
        throw new Refusal(`No tool call found for function call output with call_id ${id}.`)
      const output = member(item, 'output')
      const images = listOf(output).filter((part) => member(part, 'type') === 'input_image').length
      return [{ kind: 'result', id, text: JSON.stringify(output), images }]
    }
    if (type === 'compaction')
      return [{ kind: 'user', text: opened(member(item, 'encrypted_content')), images: 0 }]
    if (type !== 'message' || member(item, 'role') !== 'user') return [{ kind: 'model' }]
    const content = member(item, 'content')
    if (typeof content === 'string') return [{ kind: 'user', text: content, images: 0 }]
    const parts = listOf(content).filter(isObject)
    const images = parts.filter((part) => part.type === 'input_image').length
    return [{ kind: 'user', text: parts.map(({ text }) => String(text ?? '')).join('\n'), images }]
  })
}

export const openaiResponses: Format = { read }

type Item = JsonObject & { id: string; type: string }

const itemsOf = (said: Said, isText: (name: string) => boolean): Item[] => [
  ...(said.text === ''
    ? []
    : [
        {
          id: `msg_${said.usage.prompt}`,
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: said.text, annotations: [], logprobs: [] }],
        },
      ]),
  ...said.calls.map(({ id, name, input }) =>
    isText(name)
      ? {
          id: `ctc_${id}`,
          type: 'custom_tool_call',
          call_id: id,
          name,
          input: String(input.input),
          status: 'completed',
        }
      : {
          id: `fc_${id}`,
          type: 'function_call',
          call_id: id,
          name,
          arguments: JSON.stringify(input),
          status: 'completed',
        },
  ),
]

function responseOf(said: Said, model: string, output: Item[]): JsonObject {
  const { prompt, completion } = said.usage
  return {
    id: `resp_${prompt}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model,
    output,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: completion,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: prompt + completion,
    },
  }
}

/** The answer, as a stream or whole. */
export function answerResponse(
  said: Said,
  model: string,
  { tools, isStreamed, isCompacted }: Conversation,
): VendorAnswer {
  const isText = (name: string) => tools.some((tool) => tool.name === name && tool.isText === true)
  const compaction = {
    id: `cmp_${said.usage.prompt}`,
    type: 'compaction',
    encrypted_content: closed(said.text),
  }
  const items = isCompacted === true ? [compaction] : itemsOf(said, isText)
  const response = responseOf(said, model, items)
  if (!isStreamed) return jsonAnswer(response)
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const events: [string, JsonObject][] = [
    ['response.created', { response: begun }],
    ['response.in_progress', { response: begun }],
    ...items.flatMap((item, at) => eventsOf(item, at)),
    ['response.completed', { response }],
  ]
  return eventAnswer(
    events.map(([type, data], sequence_number): [string, JsonObject] => [
      type,
      { type, sequence_number, ...data },
    ]),
  )
}

const tooLong = {
  code: 'context_length_exceeded',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
}

/** An input that is too long: in a stream, a response that fails after it began. */
export function refuseTooLong(model: string, { isStreamed }: Conversation): VendorAnswer {
  if (!isStreamed)
    return jsonAnswer({ error: { ...tooLong, type: 'invalid_request_error', param: 'input' } }, 400)
  const said = { text: '', pieces: [], calls: [], usage: { prompt: 0, completion: 0 } }
  const begun = { ...responseOf({ ...said, vectors: [], image: '', scores: [] }, model, []), usage: null }
  const failed = { ...begun, status: 'failed', error: tooLong }
  const events: [string, JsonObject][] = [
    ['response.created', { response: { ...begun, status: 'in_progress' } }],
    ['response.failed', { response: failed }],
  ]
  return eventAnswer(
    events.map(([type, data], sequence_number): [string, JsonObject] => [
      type,
      { type, sequence_number, ...data },
    ]),
  )
}

function eventsOf(item: Item, output_index: number): [string, JsonObject][] {
  const at = { output_index, item_id: item.id }
  const done: [string, JsonObject] = ['response.output_item.done', { output_index, item }]
  const begun = { ...item, status: 'in_progress' }
  const added = (rest: JsonObject): [string, JsonObject] => [
    'response.output_item.added',
    { output_index, item: { ...begun, ...rest } },
  ]
  if (item.type === 'message') {
    const text = String(member(item, 'content', 0, 'text'))
    const place = { ...at, content_index: 0 }
    const part = member(item, 'content', 0) as JsonObject
    return [
      added({ content: [] }),
      ['response.content_part.added', { ...place, part: { ...part, text: '' } }],
      ['response.output_text.delta', { ...place, delta: text, logprobs: [] }],
      ['response.output_text.done', { ...place, text, logprobs: [] }],
      ['response.content_part.done', { ...place, part }],
      done,
    ]
  }
  if (item.type === 'compaction') return [added({}), done]
  if (item.type === 'custom_tool_call') {
    return [
      added({ input: '' }),
      ['response.custom_tool_call_input.delta', { ...at, delta: item.input }],
      ['response.custom_tool_call_input.done', { ...at, input: item.input }],
      done,
    ]
  }
  return [
    added({ arguments: '' }),
    ['response.function_call_arguments.delta', { ...at, delta: item.arguments }],
    ['response.function_call_arguments.done', { ...at, arguments: item.arguments, name: item.name }],
    done,
  ]
}
