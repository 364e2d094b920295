/**
 * A table of the headers and body members in which coding agents send their session and user. Each row was taken from
 * the agent's source or its requests; the guide on coding agents has the same table.
 */
import { isObject, type Json, type JsonObject, ownMember, parseJson } from '@gateway/contract'
import { codexNames, openCodeNames } from './agents.ts'

type Headers = Readonly<Record<string, string>>

/** The place of an id. `part` reads it from a longer text: a member of its JSON, or the capture of a pattern. */
interface Source {
  /** Lower-case name of a header. */
  header?: string
  /** Path of a member of the body, such as `metadata/user_id`. */
  member?: string
  part?: string | RegExp
}

interface AgentIds {
  agent: string
  /** Headers that identify the agent, any of which is sufficient. Null if the names of the ids identify it. */
  sends: Readonly<Record<string, RegExp>> | null
  /** The first one that is present counts. */
  session: readonly Source[]
  user: readonly Source[]
}

export const agentIds: readonly AgentIds[] = [
  {
    agent: 'Claude Code',
    sends: null,
    session: [
      { header: 'x-claude-code-session-id' },
      { member: 'metadata/user_id', part: 'session_id' },
      // Used until version 2.1.
      { member: 'metadata/user_id', part: /^user_[0-9a-f]{64}_account_[0-9a-f-]*_session_([0-9a-f-]{36})$/ },
    ],
    user: [
      { member: 'metadata/user_id', part: 'account_uuid' },
      { member: 'metadata/user_id', part: 'device_id' },
      { member: 'metadata/user_id', part: /^user_[0-9a-f]{64}_account_([0-9a-f-]{36})_session_/ },
      { member: 'metadata/user_id', part: /^user_([0-9a-f]{64})_account_/ },
    ],
  },
  {
    agent: 'Codex',
    sends: { originator: codexNames, 'user-agent': codexNames },
    session: [
      { header: 'session-id' },
      { header: 'session_id' },
      { header: 'conversation_id' },
      { member: 'client_metadata/session_id' },
      { member: 'prompt_cache_key' },
    ],
    user: [{ member: 'client_metadata/x-codex-installation-id' }],
  },
  {
    agent: 'OpenCode',
    sends: { 'user-agent': openCodeNames, 'x-opencode-session': /./ },
    session: [{ header: 'x-opencode-session' }, { header: 'x-session-id' }, { header: 'x-session-affinity' }],
    user: [],
  },
  {
    agent: 'Copilot',
    sends: { 'x-interaction-type': /^conversation-/, 'copilot-integration-id': /./ },
    session: [
      { header: 'x-client-session-id' },
      { header: 'vscode-sessionid' },
      { member: 'prompt_cache_key' },
    ],
    user: [{ header: 'x-client-machine-id' }, { header: 'vscode-machineid' }],
  },
  {
    agent: 'Qwen Code',
    sends: {
      'user-agent': /^QwenCode\//,
      'x-qwen-code-session-id': /./,
    },
    session: [{ header: 'x-qwen-code-session-id' }, { member: 'metadata/sessionId' }],
    user: [],
  },
  {
    agent: 'Cline',
    sends: { 'http-referer': /^https:\/\/cline\.bot/, 'user-agent': /^Cline\// },
    session: [{ header: 'x-task-id' }, { header: 'x-opencode-session' }],
    user: [],
  },
  { agent: 'Continue', sends: null, session: [], user: [{ header: 'x-continue-unique-id' }] },
  { agent: 'Gemini CLI', sends: null, session: [], user: [{ header: 'x-gemini-api-privileged-user-id' }] },
]

const sources = agentIds.flatMap(({ session, user }) => [...session, ...user])
const once = (names: readonly string[]) => [...new Set(names)]

/** A request without any of these headers and members names neither a session nor a user. */
export const idHeaders = once(sources.flatMap(({ header = [] }) => header))
export const idMembers = once(sources.flatMap(({ member }) => member?.split('/')[0] ?? []))

export interface SentIds {
  session: string | null
  user: string | null
}

/** Ids of the first agent that the request is from. */
export function readAgentIds(headers: Headers, body: JsonObject): SentIds {
  for (const { sends, session, user } of agentIds) {
    if (sends !== null && !isSent(sends, headers)) continue
    const found = { session: firstOf(session, headers, body), user: firstOf(user, headers, body) }
    if (found.session !== null || found.user !== null) return found
  }
  return { session: null, user: null }
}

const isSent = (sends: Readonly<Record<string, RegExp>>, headers: Headers) =>
  Object.entries(sends).some(([name, pattern]) => pattern.test(ownMember(headers, name) ?? ''))

function firstOf(wanted: readonly Source[], headers: Headers, body: JsonObject): string | null {
  for (const source of wanted) {
    const id = idAt(source, headers, body)
    if (id !== null) return id
  }
  return null
}

/** The minimum length excludes words such as `default`. Ids are sent in headers and written to every log line. */
const plainId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{7,127}$/
/** An id with its surroundings; longer texts are not parsed. */
const maxChars = 1000

function idAt({ header, member, part }: Source, headers: Headers, body: JsonObject): string | null {
  const text = header === undefined ? memberAt(body, member ?? '') : ownMember(headers, header)
  if (typeof text !== 'string' || text.length > maxChars) return null
  const id = part === undefined ? text : partOf(text, part)
  return typeof id === 'string' && plainId.test(id) ? id : null
}

function memberAt(body: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = body
  for (const name of path.split('/')) value = isObject(value) ? ownMember(value, name) : undefined
  return value
}

function partOf(text: string, part: string | RegExp): unknown {
  if (typeof part !== 'string') return part.exec(text)?.[1]
  const parsed = text.startsWith('{') ? parseJson(text) : undefined
  return isObject(parsed) ? ownMember(parsed, part) : undefined
}
