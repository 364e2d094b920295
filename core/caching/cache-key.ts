/** The key of a stored answer. */
import { hash } from 'node:crypto'
import { removedNames } from '@gateway/config'
import { type JsonObject, ownMember } from '@gateway/contract'
import { appended, type Resolved } from '@gateway/flow'
import { chosenPaths } from '@gateway/routing'
import { passedHeaders } from '@gateway/upstream'

/**
 * A hash of everything that determines the answer; nothing can be read from the key.
 * @param compared replaces the body
 */
export function cacheKeyOf(exchange: Resolved, compared: JsonObject = exchange.input.body): string {
  const { node, options } = exchange
  const { body, overridden, prompt } = exchange.input
  const { provider, virtualKey, credential, keys, customHost, strict, cacheNamespace } = options
  const scope = `${exchange.caller.identity.workspaceId} ${exchange.endpoint?.id} ${node.fingerprint}`
  // Empty for most requests: `undefined` is not written.
  const own = {
    chosen: nonEmpty(chosenPaths(exchange, node, { body })),
    provider: provider ?? undefined,
    virtualKey: virtualKey ?? (provider === null ? prompt?.virtual_key : undefined) ?? undefined,
    credential: credential ?? undefined,
    keys: hasMembers(keys) ? keys : undefined,
    customHost: customHost ?? undefined,
    strict: strict ?? undefined,
    headers: forwarded(exchange),
    namespace: cacheNamespace ?? undefined,
    metadata: cacheNamespace === null && hasMembers(options.metadata) ? sorted(options.metadata) : undefined,
    // The body does not contain the names to remove from its translation.
    removed: overridden === null ? undefined : nonEmpty(removedNames(overridden).toSorted()),
  }
  // Serialized instead of the original text: white space between members is irrelevant.
  return hash('sha256', `${scope} ${JSON.stringify(own)} ${JSON.stringify(compared)}`, 'base64url')
}

const nonEmpty = (names: readonly string[]) => (names.length === 0 ? undefined : names)

/** The caller's headers that a provider may receive. */
function forwarded(exchange: Resolved): readonly Header[] | undefined {
  const { headers, node, options } = exchange
  const named = presentIn(headers, options.forwardHeaders ?? node.forwardedBelow)
  const passed = presentIn(headers, passedHeaders(exchange))
  return named.length + passed.length === 0 ? undefined : [...named, ...passed]
}

type Header = readonly [name: string, value: string]

const none: readonly Header[] = []

function presentIn(headers: Resolved['headers'], names: readonly string[]): readonly Header[] {
  let found = none
  for (const name of names) {
    const value = ownMember(headers, name)
    if (value !== undefined) found = appended<Header>(found, [name, value])
  }
  return found
}

const sorted = (metadata: Readonly<Record<string, string>>) =>
  Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))

function hasMembers(value: object): boolean {
  for (const _ in value) return true
  return false
}
