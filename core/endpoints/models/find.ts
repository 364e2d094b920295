/**
 * Which models a request may see: those of all stored credentials or, when `x-gateway-provider`,
 * `x-gateway-virtual-key` or `x-gateway-config` specify providers, those providers' own lists.
 * `x-gateway-fetch-integrated-models: true` limits the result to integrated models of these providers.
 */

import { fillTarget } from '@gateway/config'
import { isGatewayError } from '@gateway/contract'
import type { Ports, ResolvedTarget, Routed, Workspace } from '@gateway/flow'
import { findTarget, leavesOf } from '@gateway/routing'
import type { ResolveConfig } from '../declare-endpoint.ts'
import { askModels } from './ask.ts'
import { configModels } from './config-models.ts'
import { integratedModels, type ListedModel, ownModels } from './listed.ts'
import { createModelLists, type ModelLists } from './lists.ts'

/** The caller's restriction; null: all. */
export interface Wanted {
  provider: string | null
  aiService: string | null
}

/** The models of a request, unordered. @param resolve finds the config that routes the request */
export async function findModels(
  ports: Ports<'buffers' | 'log'>,
  exchange: Routed,
  { wanted, resolve }: { wanted: Wanted; resolve: ResolveConfig },
): Promise<ListedModel[]> {
  const { workspace } = exchange
  const named = await namedTargets(exchange, resolve)
  const isEverything = named === null && wanted.provider === null && wanted.aiService === null
  const configs = isEverything ? await configModels(exchange) : []
  const isOwn = named !== null && exchange.request.ownHeaders.values.get('fetch-integrated-models') !== 'true'
  const slugs = named?.map(({ slug }) => slug) ?? null
  const integrated = liveTargets(workspace).filter(({ slug }) => slugs?.includes(slug) ?? true)
  const targets = (isOwn ? named : integrated).filter((target) => isWanted(target, wanted))
  const lists = listsOf(ports, exchange)
  const found = await Promise.all(
    targets.map(async (target) => {
      const models = await lists.of(target)
      return isOwn ? ownModels(target, models) : integratedModels(workspace, target, models)
    }),
  )
  return [...found.flat(), ...configs]
}

/** Adds values from secret managers, which stored targets lack. */
async function filled(settings: Workspace, target: ResolvedTarget): Promise<ResolvedTarget> {
  const stored = target.slug === null ? undefined : settings.storedProviders.get(target.slug)
  return stored === undefined ? target : fillTarget(target, stored, { hosts: settings.context })
}

/** Usable stored credentials, each once, although they are indexed by slug and by id. */
function liveTargets({ storedTargets, storedProviders }: Workspace): ResolvedTarget[] {
  const now = Date.now()
  const bySlug = new Map([...storedTargets.values()].map((target) => [target.slug, target]))
  return [...bySlug.values()].filter(({ slug }) => {
    const stored = slug === null ? undefined : storedProviders.get(slug)
    if (stored === undefined) return true
    return stored.withdrawn === null && (stored.expiresAt === null || stored.expiresAt > now)
  })
}

const isWanted = ({ slug, adapter }: ResolvedTarget, { provider, aiService }: Wanted): boolean =>
  (provider === null || (slug ?? adapter.name) === provider) &&
  (aiService === null || adapter.name === aiService)

/** The targets that the request's headers specify; null when there are none. */
async function namedTargets(exchange: Routed, resolve: ResolveConfig): Promise<ResolvedTarget[] | null> {
  const { provider, virtualKey, config } = exchange.options
  if (provider === null && virtualKey === null && config === null) return null
  const resolved = await resolve(exchange)
  const targets = leavesOf(resolved.node).flatMap((leaf) => {
    try {
      return [findTarget(resolved, leaf, null)]
    } catch (error) {
      // The config sets only call options; the model's name selects the provider.
      if (isGatewayError(error) && error.code === 'no_provider') return []
      throw error
    }
  })
  if (targets.length === 0) return null
  return [...new Map(targets.map((target) => [target.identity, target])).values()]
}

/** Lists are cached as long as the configuration whose credentials were used. */
const listsBySettings = new WeakMap<Workspace, ModelLists>()

function listsOf(ports: Ports<'buffers' | 'log'>, { workspace }: Routed): ModelLists {
  const known = listsBySettings.get(workspace)
  if (known !== undefined) return known
  const made = createModelLists({
    ask: async (target, signal) =>
      askModels(workspace, await filled(workspace, target), { signal, budget: ports.buffers }),
    failed: ({ adapter, slug }, reason) =>
      ports.log.warn({ provider: adapter.name, slug, reason }, 'failed to list the models of a provider'),
  })
  listsBySettings.set(workspace, made)
  return made
}
