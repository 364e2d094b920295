/**
 * The limits of each subject: key, workspace, integrations, providers, and policies, each compiled once. Callers
 * without limits are detected at once.
 */
import type { Identity, StoredDocument } from '@gateway/contract'
import {
  type Limits,
  limitOwners,
  type RateLimitPolicyData,
  type UsageLimitPolicyData,
} from '@gateway/domain'
import type { CompiledLimit, LimitSet, LimitTable, Policy } from '@gateway/flow'
import { compileLimits, compileRateLimit, compileUsageLimit } from './compiled-limit.ts'
import { compilePolicy } from './policy.ts'

export interface ProviderLimits {
  provider: StoredDocument<Limits>
  /**
   * The organisation's integration and its limits; null for an integration of the workspace, which has no separate
   * limits.
   */
  integration: { document: StoredDocument; workspaceId: string; limits: Limits } | null
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
  const ofTools = sources.ratePolicies.filter(({ data }) => data.target === 'mcp_tools').map(ratePolicy)
  const ofModels = sources.ratePolicies.filter(({ data }) => data.target !== 'mcp_tools').map(ratePolicy)
  const policies = [...ofModels, ...sources.usagePolicies.map(usagePolicy)]
  const ofWorkspaces = new Map<string, Omit<LimitSet, 'fixed'>>()
  const known = new WeakMap<object, { workspaceId: string; set: LimitSet | null }>()

  function make({ keyId, workspaceId }: Identity, key: StoredDocument<Limits> | null): LimitSet | null {
    const ofKey = key === null ? (keyId === null ? none : (keys.get(keyId) ?? none)) : keyLimits(key)
    const fixed = [...ofKey, ...(workspaces.get(workspaceId) ?? none)]
    const own = policiesOf(workspaceId)
    const count = own.toolPolicies.length + own.requestPolicies.length + own.targetPolicies.length
    return fixed.length + count === 0 ? null : { fixed, ...own }
  }

  /** Shared by all keys of the workspace, because there may be many keys and many policies. */
  function policiesOf(workspaceId: string): Omit<LimitSet, 'fixed'> {
    const found = ofWorkspaces.get(workspaceId)
    if (found !== undefined) return found
    const isOwn = (policy: Policy) => policy.workspaceId === null || policy.workspaceId === workspaceId
    const own = policies.filter(isOwn)
    const made = {
      toolPolicies: ofTools.filter(isOwn),
      requestPolicies: own.filter(({ ofTarget }) => !ofTarget),
      targetPolicies: own.filter(({ ofTarget }) => ofTarget),
    }
    ofWorkspaces.set(workspaceId, made)
    return made
  }

  return {
    organisationSlug: sources.organisationSlug,
    limitsRequests: keys.size + workspaces.size + policies.length > 0,
    limitsTargets: targets.size > 0 || policies.some(({ ofTarget }) => ofTarget),
    of({ identity, key }) {
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

/** Names have no maximum length. */
const longestName = 100

/** An object in messages: its name, else its slug or id. */
function labelOf(kind: string, { id, slug, name }: Pick<StoredDocument, 'id' | 'slug' | 'name'>): string {
  const shown = name !== null && name !== '' ? name : (slug ?? id)
  return `${kind} ${JSON.stringify(shown.slice(0, longestName))}`
}

/** The documents with limits, by id; for duplicate ids the last one. */
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

/** The limits of a document. */
const limitsIn = ({ data }: StoredDocument<Limits>): Limits => {
  const { usage_limits = [], rate_limits = [] }: Partial<Limits> = data
  return { usage_limits, rate_limits }
}

function keyLimits(key: StoredDocument<Limits>): CompiledLimit[] {
  const owner = limitOwners.apiKey(key.id)
  return compileLimits({ owner, param: owner, label: labelOf('API key', key) }, limitsIn(key))
}

function workspaceLimits(workspace: StoredDocument<Limits>): CompiledLimit[] {
  const owner = limitOwners.workspace(workspace.id)
  return compileLimits({ owner, param: owner, label: labelOf('workspace', workspace) }, limitsIn(workspace))
}

/** The limits of targets by slug and by id; those of the integration come first. */
function targetLimits(providers: readonly ProviderLimits[]): Map<string, CompiledLimit[]> {
  const found = new Map<string, CompiledLimit[]>()
  for (const { provider, integration } of providers) {
    const own = {
      owner: limitOwners.provider(provider.id),
      param: `providers/${provider.slug ?? provider.id}`,
      label: labelOf('provider', provider),
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

function integrationLimits({ document, workspaceId, limits }: NonNullable<ProviderLimits['integration']>) {
  const owner = limitOwners.integration(document.id, workspaceId)
  const param = `integrations/${document.slug ?? document.id}`
  return compileLimits({ owner, param, label: labelOf('integration', document) }, limits)
}

function ratePolicy(document: StoredDocument<RateLimitPolicyData>): Policy {
  const { id, workspace_id, data: policy } = document
  const owner = limitOwners.ratePolicy(id)
  return compilePolicy(
    policy,
    compileRateLimit({ owner, param: owner, label: labelOf('rate limit policy', document) }, policy),
    workspace_id,
  )
}

function usagePolicy(document: StoredDocument<UsageLimitPolicyData>): Policy {
  const { id, workspace_id, data: policy } = document
  const owner = limitOwners.usagePolicy(id)
  return compilePolicy(
    policy,
    compileUsageLimit({ owner, param: owner, label: labelOf('usage limit policy', document) }, policy),
    workspace_id,
  )
}
