/**
 * Which limits hold for whom: those of the key, the workspace, the integrations, the providers, and the policies, each
 * compiled once. A request of a caller without any is told so at once.
 */
import type { Identity, StoredDocument } from '@gateway/contract'
import {
  type Limits,
  limitOwners,
  type RateLimitPolicyData,
  type UsageLimitPolicyData,
} from '../../domain/index.ts'
import { type CompiledLimit, compileLimits, compileRateLimit, compileUsageLimit } from './compiled-limit.ts'
import { compilePolicy, type Policy } from './policy.ts'

/** What limits the requests of one caller. */
export interface LimitSet {
  /** Of the key and the workspace. */
  fixed: readonly CompiledLimit[]
  /** Judged before there is a target. */
  requestPolicies: readonly Policy[]
  /** Judged before each try of a target. */
  targetPolicies: readonly Policy[]
}

export interface LimitTable {
  /** Of the organisation whose limits they are; null where only the config file says anything of it. */
  organisationSlug: string | null
  /** @param key the document of a stored key; null when nothing limits the caller's requests */
  of(identity: Identity, key: StoredDocument<Limits> | null): LimitSet | null
  /** Of a stored provider and its integration, by the provider's slug or id. */
  ofTarget(slug: string): readonly CompiledLimit[]
}

export interface ProviderLimits {
  provider: StoredDocument<Limits>
  /** Null: it is the workspace's own, and has no limits. */
  integration: { id: string; slug: string; workspaceId: string; limits: Limits } | null
}

export interface LimitSources {
  organisationSlug: string | null
  /** Keys of the config file. */
  keys: readonly StoredDocument<Limits>[]
  workspaces: readonly StoredDocument<Limits>[]
  providers: readonly ProviderLimits[]
  ratePolicies: readonly StoredDocument<RateLimitPolicyData>[]
  usagePolicies: readonly StoredDocument<UsageLimitPolicyData>[]
}

const none: readonly CompiledLimit[] = []

export function createLimitTable(sources: LimitSources): LimitTable {
  const keys = byId(sources.keys, keyLimits)
  const workspaces = byId(sources.workspaces, workspaceLimits)
  const targets = targetLimits(sources.providers)
  const policies = [...sources.ratePolicies.flatMap(ratePolicy), ...sources.usagePolicies.map(usagePolicy)]
  const known = new WeakMap<object, { workspaceId: string; set: LimitSet | null }>()

  function make({ keyId, workspaceId }: Identity, key: StoredDocument<Limits> | null): LimitSet | null {
    const ofKey = key === null ? (keyId === null ? none : (keys.get(keyId) ?? none)) : keyLimits(key)
    const fixed = [...ofKey, ...(workspaces.get(workspaceId) ?? none)]
    const own = policies.filter((policy) => policy.workspaceId === null || policy.workspaceId === workspaceId)
    if (fixed.length + own.length === 0) return null
    return {
      fixed,
      requestPolicies: own.filter(({ ofTarget }) => !ofTarget),
      targetPolicies: own.filter(({ ofTarget }) => ofTarget),
    }
  }

  return {
    organisationSlug: sources.organisationSlug,
    of(identity, key) {
      const holder = key ?? identity
      const found = known.get(holder)
      if (found !== undefined && found.workspaceId === identity.workspaceId) return found.set
      const set = make(identity, key)
      known.set(holder, { workspaceId: identity.workspaceId, set })
      return set
    },
    ofTarget: (slug) => targets.get(slug) ?? none,
  }
}

/** Those that have limits; of several with one id the last. */
function byId(
  documents: readonly StoredDocument<Limits>[],
  limitsOf: (document: StoredDocument<Limits>) => CompiledLimit[],
): Map<string, CompiledLimit[]> {
  const found = new Map<string, CompiledLimit[]>()
  for (const document of documents) {
    const limits = limitsOf(document)
    if (limits.length > 0) found.set(document.id, limits)
    else found.delete(document.id)
  }
  return found
}

/** The lists of a document that has limits. */
const limitsIn = ({ data }: StoredDocument<Limits>): Limits => {
  const { usage_limits = [], rate_limits = [] }: Partial<Limits> = data
  return { usage_limits, rate_limits }
}

function keyLimits(key: StoredDocument<Limits>): CompiledLimit[] {
  const owner = limitOwners.apiKey(key.id)
  return compileLimits({ owner, param: owner }, limitsIn(key))
}

function workspaceLimits(workspace: StoredDocument<Limits>): CompiledLimit[] {
  const owner = limitOwners.workspace(workspace.id)
  return compileLimits({ owner, param: owner }, limitsIn(workspace))
}

/** By slug and by id, the integration's first. */
function targetLimits(providers: readonly ProviderLimits[]): Map<string, CompiledLimit[]> {
  const found = new Map<string, CompiledLimit[]>()
  for (const { provider, integration } of providers) {
    const own = {
      owner: limitOwners.provider(provider.id),
      param: `providers/${provider.slug ?? provider.id}`,
    }
    const limits = [
      ...(integration === null ? [] : integrationLimits(integration)),
      ...compileLimits(own, limitsIn(provider)),
    ]
    if (limits.length === 0) continue
    for (const name of new Set([provider.slug ?? provider.id, provider.id])) found.set(name, limits)
  }
  return found
}

function integrationLimits({ id, slug, workspaceId, limits }: NonNullable<ProviderLimits['integration']>) {
  const owner = limitOwners.integration(id, workspaceId)
  return compileLimits({ owner, param: `integrations/${slug}` }, limits)
}

/** Policies of tools are for the endpoints that call tools. */
function ratePolicy({ id, workspace_id, data: policy }: StoredDocument<RateLimitPolicyData>): Policy[] {
  if (policy.target === 'mcp_tools') return []
  const owner = limitOwners.ratePolicy(id)
  return [compilePolicy(policy, compileRateLimit({ owner, param: owner }, policy), workspace_id)]
}

function usagePolicy({ id, workspace_id, data: policy }: StoredDocument<UsageLimitPolicyData>): Policy {
  const owner = limitOwners.usagePolicy(id)
  return compilePolicy(policy, compileUsageLimit({ owner, param: owner }, policy), workspace_id)
}
