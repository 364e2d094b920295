/**
 * Decides whether an authenticated caller is admitted: from its address, and to an endpoint. `allowed_ips` of a key are
 * the addresses from which it can be used; `allowed_ips` of an organisation are the addresses from which its callers
 * can connect with any credential. The caller's address must be in both lists. Errors: 400 `invalid_header`; 403
 * `forbidden`, `missing_scope`; `store_unavailable`.
 */
import { type DocumentChange, GatewayError, type Identity, isGatewayError } from '@gateway/contract'
import { addressMatcher, kinds, type OrganisationData } from '@gateway/domain'
import { andThen, type Caller, type Claim, type Endpoint, type MaybePromise } from '@gateway/flow'
import type { Directory, Known } from './directory.ts'

type Allows = ((address: string) => boolean) | null

export interface AllowedAddresses {
  /** Throws for an address missing in one of the caller's lists. */
  check(caller: Caller, client: Claim['client']): MaybePromise<void>
  isAllowedBy(organisationId: string, address: string): Promise<boolean>
  forget(changes: readonly DocumentChange[]): void
}

/** Lists are reread after this time, in case a change notification was lost. */
const keptMs = 1000

export function createAllowedAddresses(
  directory: Pick<Directory, 'peekOrganisation' | 'loadOrganisation'>,
  now: () => number,
): AllowedAddresses {
  /** The last known lists of organisations, also for keys that do not need the store. */
  const lastKnown = new Map<string, { allows: Allows; until: number }>()

  /** The last known list; undefined if it must be loaded. */
  function peekList(organisationId: string): Allows | undefined {
    const last = lastKnown.get(organisationId)
    return last !== undefined && now() < last.until ? last.allows : undefined
  }

  async function loadList(organisationId: string): Promise<Allows> {
    const peeked = directory.peekOrganisation(organisationId)
    const known = peeked === undefined ? await directory.loadOrganisation(organisationId) : peeked
    const allows = known === null ? null : allowsOf(known)
    lastKnown.set(organisationId, { allows, until: now() + keptMs })
    return allows
  }

  /** Keys of the operator and the config file work without the store, so the list must too. */
  function listFor(caller: Caller): MaybePromise<Allows> {
    const list = peekList(caller.identity.organisationId)
    return list === undefined ? loadListFor(caller) : list
  }

  async function loadListFor({ identity, key }: Caller): Promise<Allows> {
    try {
      return await loadList(identity.organisationId)
    } catch (error) {
      const known = key === null ? lastKnown.get(identity.organisationId) : undefined
      if (known === undefined || !isGatewayError(error) || error.code !== 'store_unavailable') throw error
      return known.allows
    }
  }

  return {
    check(caller, client) {
      if (caller.allowsAddress?.(client.clientIp) === false) throw refused(client.clientIp, 'this API key')
      return andThen(listFor(caller), (allows) => {
        if (allows?.(client.clientIp) === false) throw refused(client.clientIp, 'this organisation')
      })
    },
    async isAllowedBy(organisationId, address) {
      const list = peekList(organisationId)
      const allows = list === undefined ? await loadList(organisationId) : list
      return allows?.(address) ?? true
    },
    forget(changes) {
      if (changes.length > 0 && !changes.some(({ kind }) => kind === kinds.organisation)) return
      for (const last of lastKnown.values()) last.until = 0
    },
  }
}

const compiled = new WeakMap<OrganisationData, Allows>()

/** The document is the same object until it changes. */
function allowsOf({ data }: Known<OrganisationData>): Allows {
  const known = compiled.get(data)
  if (known !== undefined) return known
  const { allowed_ips: entries } = data.settings
  const made = Array.isArray(entries) ? addressMatcher(entries.map(String)) : null
  compiled.set(data, made)
  return made
}

const refused = (address: string, whose: string) =>
  new GatewayError('forbidden', `The address ${address} is not among the allowed_ips of ${whose}.`)

/** Whether the caller is a person who has not specified a workspace. */
export const isBetweenWorkspaces = ({ type, workspaceId }: Identity): boolean =>
  type === 'session' && workspaceId === ''

/** Whether the caller has a scope that the endpoint needs. */
export const hasScope = ({ scopes: wanted }: Pick<Endpoint, 'scopes'>, { scopes }: Identity): boolean =>
  scopes.has('*') || wanted.some((scope) => scopes.has(scope))

/**
 * Throws unless the caller may use the endpoint in the workspace of the request. An endpoint that needs no workspace
 * checks the scopes of each workspace itself.
 */
export function checkAccess(endpoint: Pick<Endpoint, 'scopes' | 'needsWorkspace'>, identity: Identity): void {
  if (isBetweenWorkspaces(identity)) {
    if (!endpoint.needsWorkspace) return
    const param = 'header/x-gateway-workspace-id'
    throw new GatewayError('invalid_header', `${param}: a session must specify its workspace.`, {
      param,
    })
  }
  if (hasScope(endpoint, identity)) return
  const [param = ''] = endpoint.scopes
  throw new GatewayError('missing_scope', `This key lacks the scope ${param}.`, { param })
}
