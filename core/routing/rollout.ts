/**
 * Selects the version of a config that answers a request while a rollout runs. A hash of the request's session decides:
 * replicas agree without a store, and a session that has the new version keeps it while the percentage grows.
 */
import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '@gateway/contract'
import type { ConfigNode, ResponseOwner, Rollout, Routed } from '@gateway/flow'
import { sessionKeyOf } from './session-key.ts'

/** Errors: `dependency_unavailable` when the response that the request refers to cannot be read. */
export async function chooseVersion(
  exchange: Routed,
  live: ConfigNode,
  { id, percent, candidate }: Rollout,
): Promise<ConfigNode> {
  const owner = await ownerOf(exchange)
  if (owner !== null) {
    // Only the provider that stores a response can continue it.
    const able = [live, candidate].filter((node) => callsCredential(node, owner.slug))
    if (able.length === 1 && able[0] !== undefined) return able[0]
  } else if (exchange.endpoint?.isMetered === false) return live
  const session = owner === null ? await sessionOf(exchange) : owner.session
  exchange.request.record.session = session
  return session !== null && placeOf(session, id) < percent ? candidate : live
}

/** The owner of the response that a request continues, reads or removes, if a provider stores the response. */
async function ownerOf({ input: { body }, request: { stores } }: Routed): Promise<ResponseOwner | null> {
  const id = body.previous_response_id ?? body.response_id
  return typeof id === 'string' ? stores.responses.ownerOf(id) : null
}

const callsCredential = ({ target, targets }: ConfigNode, slug: string): boolean =>
  target?.slug === slug || targets.some((child) => callsCredential(child, slug))

/** The step of a rollout in the decision trace. */
export const describeRollout = ({ saved }: ConfigNode, { percent, candidate }: Rollout): JsonObject => ({
  from: saved?.version ?? null,
  to: candidate.saved?.version ?? null,
  percent,
})

/**
 * The place of a session in a rollout, from 0 up to 100. It differs per rollout, so each rollout begins with other
 * sessions.
 */
function placeOf(session: string, rolloutId: string): number {
  const hash = createHash('sha256').update(`${session}|${rolloutId}`).digest()
  return (hash.readUIntBE(0, 6) / 2 ** 48) * 100
}

/** The session for `strategy.sticky` with `by: auto`; the trace id of a request without a conversation, such as a form. */
async function sessionOf(exchange: Routed): Promise<string> {
  const { caller, headers, options } = exchange
  const { body } = exchange.input
  if ((body.messages ?? body.input ?? body.contents ?? body.prompt) === undefined)
    return exchange.request.traceId
  const input = exchange.endpoint.responses !== null ? await wholeInput(exchange) : body.input
  const whole = input === undefined ? body : { ...body, input }
  return sessionKeyOf({ caller, headers, options, input: { body: whole } }, 'auto').hash
}

/** The input items of a response request from the beginning of its conversation. */
async function wholeInput({
  input: { body },
  caller: { identity },
  request: { stores },
}: Routed): Promise<Json | undefined> {
  const { input, previous_response_id: previous } = body
  const earlier =
    typeof previous === 'string' ? await stores.responses.find(identity.workspaceId, previous) : null
  if (earlier !== null) return earlier.items
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input
}
