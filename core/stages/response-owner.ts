/**
 * Selects the target for a call about a stored response. If the gateway knows the stored credential that created it,
 * only the config's leaf with this credential is called, or, if the config has no such leaf, its first leaf without a
 * provider, with this credential. Otherwise the config routes as usual. Errors: 404 `not_found` for another workspace's response; 503
 * `dependency_unavailable`.
 */

import type { Answer, Next, Resolved } from '@gateway/flow'
import { leavesOf, takesProvider } from '@gateway/routing'
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
    const leaves = leavesOf(exchange.node)
    const leaf = leaves.find((one) => one.target?.slug === target.slug) ?? leaves.find(takesProvider)
    if (leaf !== undefined) exchange.node = { ...leaf, target }
  }
  return next(exchange)
}
