/**
 * The HTTP calls to a resource, with its credential.
 * Reference: https://learn.microsoft.com/rest/api/contentsafety, https://learn.microsoft.com/rest/api/language;
 * the credential: https://learn.microsoft.com/azure/ai-services/authentication
 * Errors: Error for a status that is not 200, and for an answer that is no object; those of identity.ts.
 */
import { type CheckIo, isObject, type JsonObject } from '@gateway/contract'
import { createIdentity } from './identity.ts'
import type { Service } from './settings.ts'

/** Posts a body to a path of the resource. */
export type Post = (path: string, body: JsonObject, io: CheckIo) => Promise<JsonObject>

interface Own {
  resourceName?: string | undefined
  apiKey?: string | undefined
  apiVersion?: string | undefined
  timeout?: number | undefined
}

/**
 * Makes the caller of a service. The credential of the settings goes to no resource that a caller's parameters name.
 * @throws Error that says what is missing
 */
export function createPost(service: Service, own: Own, settings: Readonly<JsonObject>): Post {
  const special = settings[service]
  const all: JsonObject = isObject(special) ? { ...settings, ...special } : settings
  const base = baseUrlOf(own, all)
  const authorise = authorisation(own, all, settings)
  const query = `?api-version=${own.apiVersion ?? ''}`
  return async (path, json, io) => {
    const headers = await authorise(io)
    const request = {
      method: 'POST' as const,
      url: base + path + query,
      headers,
      json,
      timeoutMs: own.timeout,
    }
    const answer = await io.fetchJson(request)
    if (answer.status !== 200) throw new Error(`Azure answered with status ${answer.status}`)
    if (!isObject(answer.json)) throw new Error('the answer of Azure cannot be read')
    return answer.json
  }
}

function baseUrlOf({ resourceName, apiKey }: Own, settings: JsonObject): string {
  if (resourceName !== undefined && resourceName !== settings.resourceName && apiKey === undefined)
    throw new Error(
      'apiKey is missing: the credential of the settings is not sent to a resource of the parameters',
    )
  if (typeof settings.baseUrl === 'string') return settings.baseUrl.replace(/\/$/, '')
  const name = resourceName ?? settings.resourceName
  if (typeof name !== 'string')
    throw new Error('resourceName is missing: set plugins.settings.azure.resourceName, or the parameter')
  return `https://${name}.cognitiveservices.azure.com`
}

type Authorise = (io: CheckIo) => Promise<Record<string, string>> | Record<string, string>

function authorisation(own: Own, all: JsonObject, settings: Readonly<JsonObject>): Authorise {
  const mode = own.apiKey === undefined ? (all.azureAuthMode ?? 'apiKey') : 'apiKey'
  if (mode === 'apiKey') {
    const key = own.apiKey ?? all.apiKey
    if (typeof key !== 'string')
      throw new Error('apiKey is missing: set plugins.settings.azure.apiKey, or the parameter')
    return () => ({ 'ocp-apim-subscription-key': key })
  }
  const tokenOf = createIdentity(all, settings)
  return async (io) => ({ authorization: `Bearer ${await tokenOf(io)}` })
}
