/**
 * Creates the initial state of the playground from a logged request: target, headers, metadata and the whole
 * conversation.
 */
import type { Row } from '../../api.ts'
import { rowOf, rowsOf } from '../../json.ts'
import { chatRequestOf } from '../../parts/chat-request.ts'
import type { Target } from './playground-target.tsx'

export interface Start {
  target: Partial<Target>
  system: string
  /** The messages between the system message and the last one, as JSON. */
  turns: string
  message: string
  /** An id or a slug; empty for the default workspace. */
  workspace: string
}

export const emptyStart: Start = { target: {}, system: '', turns: '', message: '', workspace: '' }

/** Headers that are not copied from the log: credentials, and headers that the gateway or the browser sets. */
const unsent = /-(api-key|csrf|trace-id)$/

/** The headers that select config, provider and metadata, without those whose value is hidden. */
export const routingOf = (headers: Row): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-gateway-') &&
      !unsent.test(name) &&
      typeof value === 'string' &&
      !value.includes('****')
        ? [[name, value]]
        : [],
    ),
  )

const jsonOf = (value: Row): string => (Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2))

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Splits a conversation into the fields of the playground. Messages that are not plain text stay among the turns. */
function conversationOf(messages: readonly Row[]): Pick<Start, 'system' | 'turns' | 'message'> {
  const rest = [...messages]
  const isPlain = (message: Row | undefined, ...roles: string[]) =>
    roles.includes(String(message?.role)) &&
    typeof message?.content === 'string' &&
    Object.keys(message).every((name) => name === 'role' || name === 'content')
  const system = isPlain(rest[0], 'system') ? textOf(rest.shift()?.content) : ''
  const message = isPlain(rest.at(-1), 'user') ? textOf(rest.pop()?.content) : ''
  return { system, message, turns: rest.length === 0 ? '' : JSON.stringify(rest, null, 2) }
}

const promptPath = /^\/(?:v1\/)?prompts\/([^/]+)\/completions$/

/** The prompt in the version that ran, even if another one is published now. */
const promptOf = (named: string, version: unknown): string =>
  named !== '' && typeof version === 'number' ? `${named.split('@', 1)[0]}@${version}` : named

/** @param row a log entry that contains its request */
export function startOfEntry(row: Row): Start {
  const request = rowOf(row.request)
  const {
    'x-gateway-config': config = textOf(row.config),
    'x-gateway-metadata': metadata,
    'x-gateway-workspace-id': _workspace,
    ...others
  } = routingOf(rowOf(request.headers))
  const [, prompt = ''] = promptPath.exec(textOf(row.request_url).split('?', 1)[0] ?? '') ?? []
  const {
    model,
    messages,
    variables,
    // The playground always streams.
    stream: _stream,
    stream_options: _options,
    ...parameters
  } = chatRequestOf(rowOf(request.body))
  return {
    ...conversationOf(rowsOf(messages)),
    workspace: textOf(row.workspace_id),
    target: {
      model: textOf(model),
      config,
      prompt: promptOf(decodeURIComponent(prompt), row.prompt_version),
      variables: prompt === '' ? '' : jsonOf(rowOf(variables)),
      parameters: jsonOf(parameters),
      metadata: metadata ?? jsonOf(rowOf(row.metadata)),
      headers: jsonOf(others),
    },
  }
}
