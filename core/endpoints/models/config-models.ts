/** Saved configs as models: `#SLUG`, for clients that can set only a model. */
import { type Exchange, required } from '../../flow/exchange.ts'
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

/** The configs that the caller may use: all of the workspace, or only the caller's default when no other is allowed. */
export async function configModels(exchange: Exchange): Promise<ListedModel[]> {
  const { settings } = exchange
  const { mayChoose, defaultId } = rulesOf(exchange)
  if (mayChoose) {
    const configs = await settings.listConfigs()
    return [...new Set(configs.map(({ slug }) => slug))].map(configModel)
  }
  const saved = defaultId === null ? null : (await settings.findConfig(defaultId))?.saved
  return saved === null || saved === undefined ? [] : [configModel(saved.slug)]
}

/** The config of a model id; null for other ids, and for configs that the caller may not use. */
export async function findConfigModel(exchange: Exchange, id: string): Promise<ListedModel | null> {
  if (!id.startsWith('#')) return null
  const { mayChoose, defaultId } = rulesOf(exchange)
  const node = await exchange.settings.findConfig(id.slice(1))
  if (node === null) return null
  const isDefault = defaultId !== null && [node.saved?.slug, node.saved?.id].includes(defaultId)
  return mayChoose || isDefault ? configModel(id.slice(1)) : null
}

function rulesOf({ settings, identity, keyDocument }: Exchange): {
  mayChoose: boolean
  defaultId: string | null
} {
  const { keyDefaults, workspaceDefaults } = settings.defaultsOf(required(identity, 'identity'), keyDocument)
  return {
    mayChoose:
      settings.dataPlane?.allowsConfigOverride !== false &&
      keyDefaults.allowConfigOverride &&
      workspaceDefaults.allowConfigOverride,
    defaultId: keyDefaults.configId ?? workspaceDefaults.configId,
  }
}
