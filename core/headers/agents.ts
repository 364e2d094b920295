/**
 * Coding agents that repeat a refused request by rules of their own, and how they are told not to. Each is recognised by
 * a header that it sends with every request.
 */
import { ownMember } from '@gateway/contract'

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

/** How Codex names itself in headers. */
export const codexNames = /^codex(?:[_\-/ ]|$)/i

/**
 * Codex repeats every status that it does not know. A failed response with this code is an invalid request to it.
 * Source: codex-rs/codex-api/src/sse/responses.rs and codex-rs/codex-api/src/api_bridge.rs of its repository.
 */
const codex = {
  name: 'Codex',
  sends: codexNames,
  repeats: ['guardrail_denied', 'usage_limit_exceeded'],
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
