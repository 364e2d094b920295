/**
 * The address of a model of Azure AI: below the stored URL of a Foundry resource, at a serverless deployment, or at a
 * managed endpoint.
 * References: https://learn.microsoft.com/azure/ai-foundry/model-inference/concepts/endpoints,
 * https://learn.microsoft.com/azure/machine-learning/how-to-authenticate-online-endpoint
 * Errors: `no_provider` when the config specifies none of them, or a name that cannot be part of a host.
 */
import { GatewayError, type ProviderSettings } from '@gateway/contract'
import { configuredText, hostLabel } from './settings.ts'

const provider = 'azure-ai'

interface FoundryTarget {
  deploymentType: string | null
  deploymentName: string | null
  endpointName: string | null
  region: string | null
  apiVersion: string | null
}

/** Settings of the config, which override those of the stored credential. */
function foundryTarget(settings: ProviderSettings): FoundryTarget {
  const text = (name: string) => configuredText(settings, name)
  return {
    deploymentType: settings.cloudB_deployment_type ?? text('azure_deployment_type'),
    deploymentName: settings.cloudB_deployment_name ?? text('azure_deployment_name'),
    endpointName: settings.cloudB_endpoint_name ?? text('azure_endpoint_name'),
    region: settings.cloudB_region ?? text('azure_deployment_region') ?? text('azure_region'),
    apiVersion: settings.cloudB_api_version ?? text('azure_api_version') ?? settings.api_version ?? null,
  }
}

/** The base URL without a custom host. */
export function foundryUrl(settings: ProviderSettings): string {
  const stored = configuredText(settings, 'azure_foundry_url')
  if (stored !== null) return stored.replace(/\?.*$/s, '')
  const { deploymentType, deploymentName, endpointName, region } = foundryTarget(settings)
  if (deploymentType === 'managed' || (deploymentType === null && endpointName !== null)) {
    const name = label(endpointName, 'cloudB_endpoint_name', true)
    // The name of an endpoint can include its region: `name.region`.
    const host = name.includes('.') ? name : `${name}.${label(region, 'cloudB_region')}`
    return `https://${host}.inference.ml.azure.com/score`
  }
  if (deploymentType === 'serverless' || deploymentName !== null) {
    const name = label(deploymentName, 'cloudB_deployment_name')
    return `https://${name}.${label(region, 'cloudB_region')}.models.ai.azure.com`
  }
  const resource = label(
    settings.resource_name ?? null,
    'azure_foundry_url, cloudB_deployment_type or custom_host',
  )
  return `https://${resource}.services.ai.azure.com/models`
}

function label(name: string | null, key: string, isDotted = false): string {
  if (name !== null) return hostLabel(name, { key, provider, isDotted })
  throw new GatewayError('no_provider', `The provider ${provider} needs ${key}.`)
}

/** The base URL of calls: the custom host, otherwise the provider's own. */
const addressOf = (settings: ProviderSettings): URL => new URL(settings.custom_host ?? foundryUrl(settings))

/** The path of the address, without trailing slashes. */
const pathOf = (settings: ProviderSettings): string => {
  const { pathname } = addressOf(settings)
  let end = pathname.length
  while (pathname[end - 1] === '/') end -= 1
  return pathname.slice(0, end)
}

/** Whether the address serves Anthropic models, which use their own format. */
export function isAnthropic(settings: ProviderSettings): boolean {
  const { hostname, pathname } = addressOf(settings)
  return /anthropic/i.test(hostname + pathname)
}

/** Whether the address is the v1 API of a resource's own models. */
export function isOpenaiV1(settings: ProviderSettings): boolean {
  return /\/openai\/v1$/.test(pathOf(settings))
}

/** The URL of a Messages operation; the address can end with the API version or with the operation itself. */
export function messagesPath(settings: ProviderSettings, operation: string): string {
  const path = pathOf(settings)
  if (path.endsWith('/messages')) return operation.replace('/messages', '')
  return path.endsWith('/v1') ? operation : `/v1${operation}`
}

const defaultApiVersion = '2024-05-01-preview'

/** The operation with the API version; addresses that end with their own version need none. */
export function versionedPath(settings: ProviderSettings, operation: string): string {
  const { apiVersion } = foundryTarget(settings)
  const isVersioned = /\/v\d+$/.test(pathOf(settings))
  const version = apiVersion ?? (isVersioned ? 'v1' : defaultApiVersion)
  return version === 'v1' ? operation : `${operation}?${new URLSearchParams({ 'api-version': version })}`
}

/** A serverless deployment always reports usage, and refuses the parameter that requests it. */
export function isServerless(settings: ProviderSettings): boolean {
  return foundryTarget(settings).deploymentType === 'serverless' || isModelsHost(addressOf(settings).hostname)
}

const isModelsHost = (hostname: string): boolean => hostname.endsWith('.models.ai.azure.com')

/** The token scope for this URL. */
export function foundryScope(url: string): string {
  const { hostname } = new URL(url)
  const isMachineLearning = isModelsHost(hostname) || hostname.endsWith('.inference.ml.azure.com')
  return isMachineLearning ? 'https://ml.azure.com/.default' : 'https://ai.azure.com/.default'
}

/** Headers that name the deployment of a managed endpoint, and how to treat unknown parameters. */
export function foundryHeaders(settings: ProviderSettings): Record<string, string> {
  const { deploymentType, deploymentName, endpointName } = foundryTarget(settings)
  const isManaged = deploymentType === 'managed' || (deploymentType === null && endpointName !== null)
  return {
    'extra-parameters': configuredText(settings, 'azure_extra_parameters') ?? 'pass-through',
    ...(isManaged && deploymentName !== null ? { 'azureml-model-deployment': deploymentName } : {}),
  }
}

/** Files and batches of a resource are at its origin, for every API that the address may belong to. */
export function objectsBase(settings: ProviderSettings): string {
  return `${addressOf(settings).origin}/openai`
}
