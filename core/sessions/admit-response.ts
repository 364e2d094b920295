/**
 * Checks before each response of a session: the caller's credential and its scope, the stored credential of the target,
 * budgets and policies, as they are at that moment. The session continues with the settings of that moment.
 */

import { checkUse } from '@gateway/config'
import { GatewayError, isGatewayError } from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import { type CallerPorts, claimOf, type Ports, type Routed, type Targeted } from '@gateway/flow'
import { checkAccess } from '../tenancy/index.ts'
import { refusalOf, sessionLimits } from './session-limits.ts'

/** Returns the error that must end the session, the same as for a new request, or null if it continues. */
export async function admitResponse(
  ports: CallerPorts & Ports<'metrics'>,
  exchange: Targeted,
): Promise<GatewayError | null> {
  try {
    await findCallerAgain(ports, exchange)
    checkTarget(exchange)
    return await refusalOf(ports, exchange, sessionLimits(exchange, Date.now()))
  } catch (error) {
    if (!isGatewayError(error)) throw error
    return error
  }
}

async function findCallerAgain(ports: CallerPorts, exchange: Routed): Promise<void> {
  const { transport } = exchange
  const { ownHeaders } = exchange.request
  const caller = await ports.identities.find(claimOf(transport, ownHeaders))
  checkAccess(exchange.endpoint, caller.identity)
  exchange.caller = caller
  exchange.workspace = await ports.workspaces.settingsOf(caller.identity.workspaceId)
}

/** A stored credential may have been deleted, archived or restricted. */
function checkTarget({ workspace, target, input: { body } }: Targeted): void {
  const slug = target.slug
  if (slug === null) return
  const stored = workspace.storedProviders.get(slug)
  if (stored === undefined) {
    const message = unknownName({ what: 'stored provider', written: slug, known: null })
    throw new GatewayError('unknown_virtual_key', message)
  }
  if (!stored.isPlain) checkUse(stored, body.model, Date.now())
}
