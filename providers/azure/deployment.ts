/**
 * Selects the deployment of an Azure OpenAI resource for a model, and the API version. With a list of deployments, it
 * is the entry whose alias is the model, otherwise the default entry; without a list, the deployment in the config,
 * otherwise the model's name.
 * Reference: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 * Errors: `invalid_body` at `/model` for a model that no entry serves.
 */
import { GatewayError, type JsonObject, type ProviderSettings } from '@gateway/contract'
import { configuredList, configuredText } from './settings.ts'

export interface ChosenDeployment {
  name: string
  /** The version as written in the config: a date, or the name of a version of the v1 API. */
  apiVersion: string
}

interface Entry {
  name: string
  aliases: readonly unknown[]
  apiVersion: string | null
  isDefault: boolean
}

/** The deployment for the model of a request; `standard` is the default API version. */
export function chooseDeployment(
  body: JsonObject,
  settings: ProviderSettings,
  standard: string,
): ChosenDeployment {
  const apiVersion = configuredVersion(settings, standard)
  const entries = entriesOf(settings)
  if (entries.length === 0) return { name: settings.deployment_id ?? modelOf(body), apiVersion }
  const entry =
    entries.find(({ aliases }) => aliases.includes(body.model)) ?? entries.find(({ isDefault }) => isDefault)
  if (entry !== undefined) return { name: entry.name, apiVersion: entry.apiVersion ?? apiVersion }
  const message = `/model: no deployment has the alias "${modelOf(body).slice(0, 100)}", and none is the default (provider ${settings.provider})`
  throw new GatewayError('invalid_body', message, { param: '/model' })
}

/** The API version for calls without a model: that of the default deployment, otherwise of the first one. */
export function versionOf(settings: ProviderSettings, standard: string): string {
  const entries = entriesOf(settings)
  const entry = entries.find(({ isDefault }) => isDefault) ?? entries[0]
  return entry?.apiVersion ?? configuredVersion(settings, standard)
}

const configuredVersion = (settings: ProviderSettings, standard: string): string =>
  settings.api_version ?? configuredText(settings, 'azure_api_version') ?? standard

const modelOf = ({ model }: JsonObject): string => (typeof model === 'string' ? model : '')

function entriesOf(settings: ProviderSettings): Entry[] {
  if (settings.deployments !== undefined && settings.deployments.length > 0) {
    return settings.deployments.map(({ deployment_id, alias, api_version, is_default }) => ({
      name: deployment_id,
      aliases: [alias],
      apiVersion: api_version,
      isDefault: is_default === true,
    }))
  }
  return configuredList(settings, 'azure_deployment_config').flatMap((entry) => {
    const { azure_deployment_name: name, azure_api_version: version } = entry
    if (typeof name !== 'string') return []
    return {
      name,
      aliases: [entry.alias, entry.azure_model_slug],
      apiVersion: typeof version === 'string' ? version : null,
      isDefault: entry.is_default === true,
    }
  })
}
