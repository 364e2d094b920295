/**
 * Finds the target that stores the requested response. If the gateway knows the stored credential used to create it,
 * only the config's leaf with this credential (or one that takes it from the request) is called; otherwise the config
 * routes as usual. Errors: 404 `not_found` for another workspace's response; 503 `dependency_unavailable`.
 */

import type { Answer, ConfigNode, Next, Resolved, ResolvedTarget } from '@gateway/flow'
import { unknownResponse } from '../endpoints/index.ts'

export async function responseOwner(exchange: Resolved, next: Next<Resolved>): Promise<Answer> {
  const { workspace } = exchange
  const { stores } = exchange.request
  const { body } = exchange.input
  const { workspaceId } = exchange.caller.identity
  const id = String(body.response_id)
  const owner = await stores.responses.ownerOf(id)
  if (owner !== null && owner.workspace !== workspaceId) throw unknownResponse(id, 'path/response_id')
  const target = owner === null ? undefined : workspace.storedTargets.get(owner.slug)
  if (target !== undefined) {
    const node = exchange.node
    exchange.node = leafOf(node, target, isItsOwn) ?? leafOf(node, target, isOpen) ?? node
  }
  return next(exchange)
}

type Fits = (leaf: ConfigNode, target: ResolvedTarget) => boolean

const isItsOwn: Fits = (leaf, target) => leaf.target !== null && leaf.target.slug === target.slug

/** The request specifies the provider. */
const isOpen: Fits = (leaf) => leaf.target === null

function leafOf(node: ConfigNode, target: ResolvedTarget, fits: Fits): ConfigNode | null {
  if (node.targets.length === 0) return fits(node, target) ? { ...node, target } : null
  for (const child of node.targets) {
    const leaf = leafOf(child, target, fits)
    if (leaf !== null) return leaf
  }
  return null
}
