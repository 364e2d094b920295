/** The key of a stored answer. */
import { hash } from 'node:crypto'
import { removedNames } from '@gateway/config'
import { type JsonObject, ownMember } from '@gateway/contract'
import type { Resolved } from '@gateway/flow'
import { chosenPaths } from '@gateway/routing'
import { passedHeaders } from './passed-headers.ts'

/**
 * A hash of everything that determines the answer; nothing can be read from the key.
 * @param compared replaces the body
 */
export function cacheKeyOf(exchange: Resolved, compared: JsonObject = exchange.input.body): string {
  const node = exchange.node
  const options = exchange.options
  const { body } = exchange.input
  const forwardNames = [...(options.forwardHeaders ?? node.forwardedBelow), ...passedHeaders(exchange)]
  const removed = removedNames(exchange.input.overridden).toSorted()
  const material = [
    exchange.caller.identity.workspaceId,
    exchange.endpoint?.id ?? null,
    node.fingerprint,
    chosenPaths(exchange, node, { body }),
    [
      options.provider,
      options.virtualKey ?? (options.provider === null ? (exchange.input.prompt?.virtual_key ?? null) : null),
      options.credential,
      options.keys,
      options.customHost,
      options.strict,
    ],
    forwardNames.map((name) => [name, ownMember(exchange.headers, name) ?? null]),
    options.cacheNamespace ?? Object.entries(options.metadata).sort(([a], [b]) => (a < b ? -1 : 1)),
    options.cacheNamespace !== null,
    // The body does not contain the names to remove from its translation.
    ...(removed.length === 0 ? [] : [removed]),
  ]
  // Serialized instead of the original text: white space between members is irrelevant.
  return hash('sha256', `${JSON.stringify(material)}\n${JSON.stringify(compared)}`, 'base64url')
}
