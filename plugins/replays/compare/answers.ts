/** The contents of an answer, whatever its endpoint: text, tool calls, why it ended, whether it refuses. */
import { isObject, type Json, type JsonObject, parseJson } from '@gateway/contract'

interface ToolCall {
  name: string
  /** Parsed, where they are JSON. */
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

/** https://platform.openai.com/docs/api-reference/responses/object */
function readResponse({ output, status, incomplete_details: details }: JsonObject): ReadAnswer {
  const items = objectsOf(output)
  const parts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => objectsOf(content))
  const why = isObject(details) && typeof details.reason === 'string' ? details.reason : null
  return {
    text: parts.map(({ type, text }) => (type === 'output_text' ? textOf(text) : '')).join(''),
    tools: items
      .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
      .map(({ name, arguments: given, input }) => ({
        name: textOf(name),
        arguments: parsed(given ?? input),
      })),
    finish: why ?? (typeof status === 'string' ? status : null),
    isRefusal: parts.some(({ type }) => type === 'refusal') || why === 'content_filter',
  }
}

/** An embedding has nothing to read. */
const readEmbedding = (): ReadAnswer => ({ text: '', tools: [], finish: null, isRefusal: false })

interface ReplayedEndpoint {
  path: string
  read(answer: JsonObject): ReadAnswer
  /** Whether its answers have a text to judge. */
  hasText: boolean
}

/** The endpoints whose requests can be replayed, by their ids in log entries. */
export const replayedEndpoints: Readonly<Record<string, ReplayedEndpoint>> = {
  chatComplete: { path: '/v1/chat/completions', read: readChat, hasText: true },
  complete: { path: '/v1/completions', read: readCompletion, hasText: true },
  embed: { path: '/v1/embeddings', read: readEmbedding, hasText: false },
  messages: { path: '/v1/messages', read: readMessage, hasText: true },
  createModelResponse: { path: '/v1/responses', read: readResponse, hasText: true },
}

/** Ends of answers that were cut off by their limit of tokens. */
export const truncatedFinishes: ReadonlySet<string> = new Set(['length', 'max_tokens', 'max_output_tokens'])
