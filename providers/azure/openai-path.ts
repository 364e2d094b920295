/**
 * The paths of Azure OpenAI operations: below the deployment for a dated API version, below `/v1` in the v1 API.
 * References: https://learn.microsoft.com/azure/ai-foundry/openai/reference,
 * https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle,
 * https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
 * Errors: those of choosing the deployment; `invalid_body` for a name that cannot be part of a path.
 */
import type { JsonObject, ProviderSettings } from '@gateway/contract'
import { type PlacePath, pathSegment } from '@gateway/provider-kit'
import { chooseDeployment, versionOf } from './deployment.ts'

/** The last dated version that is generally available. */
export const stableVersion = '2024-10-21'

/** The last dated version; it supports operations that no stable version supports. */
export const previewVersion = '2025-04-01-preview'

/** Values of `api_version` that select the v1 API, with the value sent to it. */
const versionsOfV1: Readonly<Record<string, string>> = {
  v1: '',
  latest: '?api-version=preview',
  preview: '?api-version=preview',
}

/** The query for the v1 API; null for dated versions. */
export function v1Query(apiVersion: string, settings: ProviderSettings): string | null {
  const known = Object.hasOwn(versionsOfV1, apiVersion) ? versionsOfV1[apiVersion] : undefined
  return known ?? (isV1Host(settings) ? '' : null)
}

const isV1Host = ({ custom_host: host }: ProviderSettings): boolean =>
  host !== undefined && /\/v1\/*$/.test(host)

const v1Path = (operation: string, query: string, settings: ProviderSettings): string =>
  `${isV1Host(settings) ? '' : '/v1'}${operation}${query}`

const datedQuery = (apiVersion: string): string => `?${new URLSearchParams({ 'api-version': apiVersion })}`

/** The path of an operation of a deployment, below `…/openai`. */
export function deploymentPath(operation: string, standard: string) {
  return (body: JsonObject, settings: ProviderSettings): string => {
    const { name, apiVersion } = chooseDeployment(body, settings, standard)
    const query = v1Query(apiVersion, settings)
    if (query !== null) return v1Path(operation, query, settings)
    const deployment = pathSegment(name, '/model', settings.provider)
    return `/deployments/${deployment}${operation}${datedQuery(apiVersion)}`
  }
}

/** The path of an operation of the resource; the body names the deployment. */
export const resourcePath: PlacePath = (operation, body, settings) => {
  const apiVersion =
    body.model === undefined
      ? versionOf(settings, previewVersion)
      : chooseDeployment(body, settings, previewVersion).apiVersion
  const query = v1Query(apiVersion, settings)
  return query === null ? operation + datedQuery(apiVersion) : v1Path(operation, query, settings)
}
