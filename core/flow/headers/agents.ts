/**
 * Coding agents that repeat a refused request by their own rules, and the answers that stop them: a final failure code,
 * or a body without the words that they react to. Each agent is recognised by a header that it sends with every request.
 */
import { type JsonObject, ownMember } from '@gateway/contract'

interface AgentRow {
  name: string
  /** Lower-case name. */
  header: string
  sends: RegExp
  /** Codes of the gateway whose statuses it repeats, at the user's cost. */
  repeats: readonly string[]
  /** The code of a failed response that it shows to the user and never repeats. */
  endsWith: string
}

/** Codes of refusals that would be the same for a repeated request. */
const denials: readonly string[] = ['guardrail_denied', 'usage_limit_exceeded']

/** Names of Codex in headers. */
export const codexNames = /^codex(?:[_\-/ ]|$)/i

/**
 * Codex repeats every status that it does not know. A failed response with this code is an invalid request to it.
 * Source: codex-rs/codex-api/src/sse/responses.rs and codex-rs/codex-api/src/api_bridge.rs of its repository.
 */
const codex = {
  name: 'Codex',
  sends: codexNames,
  repeats: denials,
  endsWith: 'invalid_prompt',
}

const agents: readonly AgentRow[] = [
  { ...codex, header: 'originator' },
  { ...codex, header: 'user-agent' },
]

/** The code that ends the client's attempts; null for clients that go by the status. */
export function finalFailure(headers: Readonly<Record<string, string>>, code: string): string | null {
  const found = agents.find(
    ({ header, sends, repeats }) => repeats.includes(code) && sends.test(ownMember(headers, header) ?? ''),
  )
  return found?.endsWith ?? null
}

/** The name of OpenCode in `user-agent`. */
export const openCodeNames = /^opencode\//i

/**
 * OpenCode repeats a refused call up to five times if any of this is in the text of an answer of any status: a budget
 * of 500 USD is an error 500 to it. Source: packages/opencode/src/session/retry.ts of its repository, version 1.18.33.
 */
const openCodeRepeats = [
  '429|500|502|503|504|524',
  'rate increased too quickly|rate limit|rate-limit|rate_limit|too many requests|too_many_requests',
  'overloaded|unavailable|internal error|internal_error|server error|server_error|server-error',
  'provider returned error|provider_returned_error|provider-returned-error',
  'terminated|fetch failed|failed to fetch|network[-_\\s]error|upstream connect|connection error|connection refused',
  'connection lost|socket connection was closed|socket hang up|reset before headers|getaddrinfo|enotfound|eai_again',
  'econnrefused|econnreset|etimedout|timeout|timed out|time out',
  'try your request again|retry your request|resource exhausted|resource_exhausted|try again|at capacity',
]
/** The first character of each of these texts. */
const repeatedText = new RegExp(`(?=${openCodeRepeats.join('|')}).`, 'gisu')

/** An invisible character that forbids a line break and does nothing else. */
const wordJoiner = '\u2060'

/**
 * A denial body without the words and numbers that some clients react to; it looks the same to a person. The results of
 * guardrails, which have times and ids, are left out. Other clients get the body unchanged.
 */
export function finalBody(
  headers: Readonly<Record<string, string>>,
  code: string,
  body: JsonObject,
): JsonObject {
  if (!denials.includes(code) || !openCodeNames.test(ownMember(headers, 'user-agent') ?? '')) return body
  return JSON.parse(JSON.stringify(body), withoutRepeated) as JsonObject
}

function withoutRepeated(name: string, value: unknown): unknown {
  if (name === 'hook_results') return undefined
  return typeof value === 'string' ? value.replace(repeatedText, `$&${wordJoiner}`) : value
}
