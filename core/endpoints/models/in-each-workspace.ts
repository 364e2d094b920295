/** The models of all workspaces of a signed-in user whose request names no workspace. Each id is listed once. */

import { authenticated, type CallerPorts, copyOf, type Routed, routed, scrubbed } from '@gateway/flow'
import { hasScope, isBetweenWorkspaces } from '../../tenancy/index.ts'
import type { ListedModel } from './listed.ts'

/** @param find returns the models of the exchange's workspace */
export async function inEachWorkspace(
  ports: CallerPorts,
  exchange: Routed,
  find: (exchange: Routed) => Promise<ListedModel[]>,
): Promise<ListedModel[]> {
  const { endpoint, headers, options } = exchange
  const { identity } = exchange.caller
  if (!isBetweenWorkspaces(identity)) return find(exchange)
  const callers = await ports.identities.findInWorkspaces(identity)
  const found = await Promise.all(
    callers
      .filter((caller) => hasScope(endpoint, caller.identity))
      .map(async (caller) => {
        const inside = copyOf(exchange)
        const settings = await ports.workspaces.settingsOf(caller.identity.workspaceId)
        return find(routed(scrubbed(authenticated(inside, caller, settings), headers, options), endpoint))
      }),
  )
  return [...new Map(found.flat().map((model) => [model.info.id, model])).values()]
}
