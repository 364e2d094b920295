/**
 * The known models of an integration's provider: from its adapter, the price list, and the provider's own list. A
 * provider that does not answer is not an error: the others are listed.
 */
import { isGatewayError, isUpstreamFault, type KnownModel, type ModelInfo } from '@gateway/contract'
import { isOverload } from '@gateway/flow'
import { listNameOf, loadPriceList } from '../../metering/index.ts'
import { askModels } from './ask.ts'
import { type IntegrationDraft, integrationTarget, type StoredCredentials } from './integration-target.ts'
import { createModelLists, type ModelLists } from './lists.ts'

export interface Catalogue {
  modelsOf(integration: IntegrationDraft): Promise<readonly KnownModel[]>
}

export function createCatalogue(given: StoredCredentials): Catalogue {
  const { settings } = given
  const lists: ModelLists = createModelLists({
    ask: (target, signal) => askModels(settings(), target, { signal, budget: given.buffers() }),
    failed: () => undefined,
  })

  async function ownList(integration: IntegrationDraft): Promise<readonly ModelInfo[]> {
    try {
      return await lists.of(await integrationTarget(integration, given))
    } catch (error) {
      if (!isOverload(error) && (isGatewayError(error) || isUpstreamFault(error))) return []
      throw error
    }
  }

  return {
    async modelsOf(integration) {
      const name = String(integration.data.ai_provider_id)
      const adapter = settings().context.registry.providers.get(name)
      const listName = adapter === undefined ? name : listNameOf(adapter)
      const [own, list] = await Promise.all([ownList(integration), loadPriceList()])
      const models = new Map<string, KnownModel>()
      const add = ({ id, name: title }: ModelInfo) => {
        if (!models.has(id)) models.set(id, { slug: id, name: title ?? null })
      }
      own.forEach(add)
      adapter?.models?.forEach(add)
      if (listName !== null) for (const id of list.modelsOf(listName)) add({ id })
      return [...models.values()].sort((left, right) => (left.slug < right.slug ? -1 : 1))
    },
  }
}
