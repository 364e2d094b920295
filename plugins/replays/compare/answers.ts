/** Reads the content of an answer of any endpoint: text, tool calls, finish reason, and whether it is a refusal. */
import { isObject, type Json, type JsonObject, ownMember, parseJson } from '@gateway/contract'

interface ToolCall {
  name: string
  /** Parsed if they are valid JSON. */
  arguments: Json
}

export interface ReadAnswer {
  text: string
  tools: ToolCall[]
  finish: string | null
  isRefusal: boolean
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const objectsOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const parsed = (value: Json | undefined): Json =>
  typeof value === 'string' ? ((parseJson(value) as Json | undefined) ?? value) : (value ?? null)

function readChat({ choices }: JsonObject): ReadAnswer {
  const [choice = {}] = objectsOf(choices)
  const message = isObject(choice.message) ? choice.message : {}
  const finish = typeof choice.finish_reason === 'string' ? choice.finish_reason : null
  const calls = objectsOf(message.tool_calls).map((call) => {
    const called = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
    return { name: textOf(called.name), arguments: parsed(called.arguments ?? called.input) }
  })
  return {
    text: textOf(message.content),
    tools: calls,
    finish,
    isRefusal: textOf(message.refusal) !== '' || finish === 'content_filter',
  }
}

function readCompletion({ choices }: JsonObject): ReadAnswer {
  const [choice = {}] = objectsOf(choices)
  const finish = typeof choice.finish_reason === 'string' ? choice.finish_reason : null
  return { text: textOf(choice.text), tools: [], finish, isRefusal: finish === 'content_filter' }
}

/** https://docs.anthropic.com/en/api/messages */
function readMessage({ content, stop_reason: reason }: JsonObject): ReadAnswer {
  const blocks = objectsOf(content)
  return {
    text: blocks.map(({ type, text }) => (type === 'text' ? textOf(text) : '')).join(''),
    tools: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ name, input }) => ({ name: textOf(name), arguments: input ?? null })),
    finish: typeof reason === 'string' ? reason : null,
    isRefusal: reason === 'refusal',
  }
}

/** Items that are calls of tools that the client runs, and the members with their arguments. */
const callArguments: Readonly<Record<string, readonly string[]>> = {
  function_call: ['arguments'],
  custom_tool_call: ['input'],
  tool_search_call: ['arguments'],
  local_shell_call: ['action'],
  shell_call: ['action'],
  apply_patch_call: ['operation'],
  computer_call: ['action', 'actions'],
}

/** The tool that an item of a response calls; empty for other items and for tools that the provider runs. */
function readCall(item: JsonObject): ToolCall[] {
  const { execution, environment, name } = item
  const type = textOf(item.type)
  const members = ownMember(callArguments, type)
  const isHosted =
    (type === 'tool_search_call' && execution !== 'client') ||
    (type === 'shell_call' && isObject(environment) && environment.type !== 'local')
  if (members === undefined || isHosted) return []
  const given = members.map((member) => item[member]).find((value) => value != null)
  return [{ name: typeof name === 'string' ? name : type.replace(/_call$/, ''), arguments: parsed(given) }]
}

/** https://platform.openai.com/docs/api-reference/responses/object */
function readResponse({ output, status, incomplete_details: details }: JsonObject): ReadAnswer {
  const items = objectsOf(output)
  const parts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => objectsOf(content))
  const why = isObject(details) && typeof details.reason === 'string' ? details.reason : null
  return {
    text: parts.map(({ type, text }) => (type === 'output_text' ? textOf(text) : '')).join(''),
    tools: items.flatMap(readCall),
    finish: why ?? (typeof status === 'string' ? status : null),
    isRefusal: parts.some(({ type }) => type === 'refusal') || why === 'content_filter',
  }
}

/** https://ai.google.dev/api/generate-content (FinishReason): a filter removed the answer or a part of it. */
const filtered: ReadonlySet<string> = new Set([
  'SAFETY',
  'PROHIBITED_CONTENT',
  'BLOCKLIST',
  'SPII',
  'RECITATION',
])

/** https://ai.google.dev/api/generate-content (GenerateContentResponse) */
function readContent({ candidates, promptFeedback: feedback }: JsonObject): ReadAnswer {
  const [candidate = {}] = objectsOf(candidates)
  const parts = isObject(candidate.content) ? objectsOf(candidate.content.parts) : []
  const isBlocked = isObject(feedback) && feedback.blockReason !== undefined
  const finish = typeof candidate.finishReason === 'string' ? candidate.finishReason : null
  return {
    text: parts.map(({ text, thought }) => (thought === true ? '' : textOf(text))).join(''),
    tools: parts.flatMap(({ functionCall: call }) =>
      isObject(call) ? [{ name: textOf(call.name), arguments: call.args ?? {} }] : [],
    ),
    finish,
    isRefusal: isBlocked || (finish !== null && filtered.has(finish)),
  }
}

/** An embedding has nothing to read. */
const readEmbedding = (): ReadAnswer => ({ text: '', tools: [], finish: null, isRefusal: false })

interface ReplayedEndpoint {
  /** The path of a request. */
  path(body: JsonObject): string
  read(answer: JsonObject): ReadAnswer
  /** Whether its answers contain text that a judge can compare. */
  hasText: boolean
}

/** The endpoints whose requests can be replayed, by their ids in log entries. */
export const replayedEndpoints: Readonly<Record<string, ReplayedEndpoint>> = {
  chatComplete: { path: () => '/v1/chat/completions', read: readChat, hasText: true },
  complete: { path: () => '/v1/completions', read: readCompletion, hasText: true },
  embed: { path: () => '/v1/embeddings', read: readEmbedding, hasText: false },
  messages: { path: () => '/v1/messages', read: readMessage, hasText: true },
  createModelResponse: { path: () => '/v1/responses', read: readResponse, hasText: true },
  generateContent: { path: contentPath, read: readContent, hasText: true },
}

/** This format has the model in its path, and another path for streams. */
function contentPath({ model, stream }: JsonObject): string {
  const action = stream === true ? 'streamGenerateContent' : 'generateContent'
  return `/v1beta/models/${encodeURIComponent(textOf(model))}:${action}`
}

/** Ends of answers that were cut off by their limit of tokens. */
export const truncatedFinishes: ReadonlySet<string> = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'MAX_TOKENS',
])
