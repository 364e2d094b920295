/**
 * Whether a name resolves to hosts that the gateway may connect to, by its own resolver. Errors:
 * `dependency_unavailable` when the resolver does not answer.
 */
import { GatewayError, isGatewayError } from '@gateway/contract'
import type { HostCheck } from '@gateway/flow'

/** Resolver codes of unknown names and names without addresses. */
const unknownName: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/**
 * Resolves a name. A name that the guard refuses counts as a name without addresses, because no answer may reveal
 * private names.
 */
export async function resolves(guard: Pick<HostCheck, 'resolve'>, hostname: string): Promise<boolean> {
  try {
    return (await guard.resolve(hostname)).length > 0
  } catch (error) {
    if (isGatewayError(error) && error.code === 'host_not_allowed') return false
    if (error instanceof Error && 'code' in error && unknownName.has(error.code)) return false
    throw new GatewayError('dependency_unavailable', 'The resolver did not answer.', { cause: error })
  }
}
