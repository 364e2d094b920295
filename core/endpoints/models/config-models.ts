/** Saved configs as models: `#SLUG`, for clients that can set only a model. */

import { checkUse } from '@gateway/config'
import { isGatewayError } from '@gateway/contract'
import type { Authenticated, ConfigNode, Workspace } from '@gateway/flow'
import { splitModel, targetWithoutModel } from '@gateway/routing'
import { hasScope } from '../../tenancy/index.ts'
import { inferenceScope } from '../declare-endpoint.ts'
import type { ListedModel } from './listed.ts'

const ownedBy = 'gateway'

const configModel = (slug: string): ListedModel => ({
  info: { id: `#${slug}`, name: slug, owned_by: ownedBy },
  slug,
  name: slug,
  provider: ownedBy,
  aiService: ownedBy,
  isCustom: true,
  adapter: null,
  stored: null,
})

/** The configs that the caller may call: all of the workspace, or only the default one if no other is allowed. */
export async function configModels(exchange: Authenticated): Promise<ListedModel[]> {
  if (!mayCall(exchange)) return []
  const { workspace } = exchange
  const { mayChoose, defaultId } = rulesOf(exchange)
  if (!mayChoose) {
    const node = defaultId === null ? null : await workspace.findConfig(defaultId)
    return node?.saved == null || !isCallable(exchange, node) ? [] : [configModel(node.saved.slug)]
  }
  const slugs = [...new Set((await workspace.listConfigs()).map(({ slug }) => slug))]
  const found = await Promise.all(slugs.map((slug) => findCallable(exchange, slug)))
  return slugs.filter((_, index) => found[index] !== null).map(configModel)
}

/** The config of a model id; null for other ids, and for configs that the caller may not call. */
export async function findConfigModel(exchange: Authenticated, id: string): Promise<ListedModel | null> {
  if (!id.startsWith('#') || !mayCall(exchange)) return null
  const { mayChoose, defaultId } = rulesOf(exchange)
  const node = await findCallable(exchange, id.slice(1))
  if (node === null) return null
  const isDefault = defaultId !== null && [node.saved?.slug, node.saved?.id].includes(defaultId)
  return mayChoose || isDefault ? configModel(id.slice(1)) : null
}

const mayCall = ({ caller: { identity } }: Authenticated): boolean =>
  hasScope({ scopes: [inferenceScope] }, identity)

/** Null for an unknown config, and for one that cannot be called as a model. */
async function findCallable(exchange: Authenticated, name: string): Promise<ConfigNode | null> {
  try {
    const node = await exchange.workspace.findConfig(name)
    return node !== null && isCallable(exchange, node) ? node : null
  } catch (error) {
    // An object that it refers to has been removed since it was written.
    if (isGatewayError(error) && error.status < 500) return null
    throw error
  }
}

/** Whether all targets have a model, and at least one of them may be called. */
const isCallable = ({ workspace }: Authenticated, node: ConfigNode): boolean =>
  targetWithoutModel(node) === null &&
  modelsOf(node, null).some(({ slug, model }) => isUsable(workspace, slug, model))

interface LeafModel {
  slug: string | null
  model: unknown
}

/** The models that the leaves call. @param outer the model of the nodes above */
function modelsOf({ targets, target, overrideParams }: ConfigNode, outer: unknown): LeafModel[] {
  const model = overrideParams?.model ?? outer
  if (targets.length > 0) return targets.flatMap((inner) => modelsOf(inner, model))
  const written = splitModel(model)
  return [
    target === null && written !== null
      ? { slug: written.slug, model: written.name }
      : { slug: target?.slug ?? null, model },
  ]
}

/** Whether a stored credential is not withdrawn and allows the model. */
function isUsable({ storedProviders }: Workspace, slug: string | null, model: unknown): boolean {
  const stored = slug === null ? undefined : storedProviders.get(slug)
  if (stored === undefined || stored.isPlain) return true
  try {
    checkUse(stored, model, Date.now())
    return true
  } catch (error) {
    if (isGatewayError(error)) return false
    throw error
  }
}

function rulesOf({ caller, workspace }: Authenticated): {
  mayChoose: boolean
  defaultId: string | null
} {
  const { keyDefaults, workspaceDefaults } = workspace.defaultsOf(caller)
  return {
    mayChoose:
      workspace.dataPlane?.allowsConfigOverride !== false &&
      keyDefaults.allowConfigOverride &&
      workspaceDefaults.allowConfigOverride,
    defaultId: keyDefaults.configId ?? workspaceDefaults.configId,
  }
}
