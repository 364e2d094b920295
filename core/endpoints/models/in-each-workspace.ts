/** The models of all workspaces of a signed-in person who names none; each id once. */

import { Exchange, required } from '../../flow/index.ts'
import { hasScope, isBetweenWorkspaces } from '../../tenancy/index.ts'
import type { ListedModel } from './listed.ts'

/** @param find finds the models of one workspace, that of the exchange */
export async function inEachWorkspace(
  exchange: Exchange,
  find: (exchange: Exchange) => Promise<ListedModel[]>,
): Promise<ListedModel[]> {
  const identity = required(exchange.identity, 'identity')
  if (!isBetweenWorkspaces(identity)) return find(exchange)
  const { runtime, transport, leaving, traceId } = exchange
  const endpoint = required(exchange.endpoint, 'endpoint')
  const callers = await runtime.identities.findInWorkspaces(identity)
  const found = await Promise.all(
    callers
      .filter((caller) => hasScope(endpoint, caller.identity))
      .map(async (caller) => {
        const inside = new Exchange(runtime, transport, leaving, traceId, exchange)
        inside.identity = caller.identity
        inside.keyDocument = caller.key
        inside.settings = await runtime.workspaces.settingsOf(caller.identity.workspaceId)
        return find(inside)
      }),
  )
  return [...new Map(found.flat().map((model) => [model.info.id, model])).values()]
}
