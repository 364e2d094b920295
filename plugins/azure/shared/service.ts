/**
 * The HTTP calls to a resource, with its credential.
 * Reference: https://learn.microsoft.com/rest/api/contentsafety, https://learn.microsoft.com/rest/api/language;
 * the credential: https://learn.microsoft.com/azure/ai-services/authentication
 * Errors: Error for a status that is not 2xx, and for an answer that is not an object; those of identity.ts.
 */
import type { CheckIo, JsonObject } from '@gateway/contract'
import { expectOwnKey, keyOf, postForObject, urlOf } from '@gateway/plugin-kit'
import { createIdentity } from './identity.ts'
import { type Service, settingsOf } from './settings.ts'

/** Posts a body to a path of the resource. */
export type Post = (path: string, body: JsonObject, io: CheckIo) => Promise<JsonObject>

/** The service settings in a check's parameters. */
interface Own extends Readonly<Record<string, unknown>> {
  resourceName?: string | undefined
  apiKey?: string | undefined
  apiVersion: string
  timeout: number
}

const names = { key: 'apiKey', url: 'resourceName' }

/**
 * Makes the caller of a service. The credential of the settings is never sent to a resource in a caller's parameters.
 * @throws Error that lists the missing settings
 */
export function createPost(service: Service, own: Own, settings: Readonly<JsonObject>): Post {
  const all = settingsOf(service, settings)
  const base = baseUrlOf(own, all)
  const authorise = authorisation(own, all, settings)
  const query = `?api-version=${own.apiVersion}`
  return async (path, json, io) => {
    const headers = await authorise(io)
    return postForObject(io, 'Azure', { url: base + path + query, headers, json, timeoutMs: own.timeout })
  }
}

function baseUrlOf(own: Own, settings: JsonObject): string {
  expectOwnKey(names, own, settings)
  const name = own.resourceName ?? settings.resourceName
  if (typeof name !== 'string' && settings.baseUrl === undefined)
    throw new Error('resourceName is missing: set plugins.settings.azure.resourceName, or the parameter')
  return urlOf('baseUrl', {}, { settings, vendorUrl: `https://${name}.cognitiveservices.azure.com` })
}

type Authorise = (io: CheckIo) => Promise<Record<string, string>> | Record<string, string>

function authorisation(own: Own, all: JsonObject, settings: Readonly<JsonObject>): Authorise {
  const mode = own.apiKey === undefined ? (all.azureAuthMode ?? 'apiKey') : 'apiKey'
  if (mode === 'apiKey') {
    const key = keyOf('azure', names, { parameters: own, settings: all })
    return () => ({ 'ocp-apim-subscription-key': key })
  }
  const tokenOf = createIdentity(all, settings)
  return async (io) => ({ authorization: `Bearer ${await tokenOf(io)}` })
}
