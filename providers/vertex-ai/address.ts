/**
 * The URL of a call: the host of a region, and the project and location in the path.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations
 * Errors: `invalid_config` for a missing or invalid region or project; `invalid_body` for an invalid model.
 */
import { GatewayError, type ProviderSettings } from '@gateway/contract'
import { pathSegments, serviceAccountOf, usesOwnIdentity } from '@gateway/provider-kit'
import { type Model, resourceOf } from './model.ts'

/** Multi-region hosts have another form. */
const multiRegions = new Set(['us', 'eu'])

/** The base URL for the settings' region, with its version segment. */
export function baseUrlOf(settings: ProviderSettings): string {
  return `https://${hostOf(regionOf(settings))}/v1`
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com'
  return multiRegions.has(region)
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`
}

/** The path of the project's location, below the base URL. */
export function locationPath(settings: ProviderSettings): string {
  return `/projects/${encodeURIComponent(projectOf(settings))}/locations/${regionOf(settings)}`
}

/** The path of a resource of the project: a publisher's model, or an endpoint. */
export function resourcePath(settings: ProviderSettings, resource: string): string {
  return `${locationPath(settings)}/${pathSegments(resource, '/model', settings.provider)}`
}

/** The path of an action on a model. */
export function modelPath(settings: ProviderSettings, model: Model, action: string): string {
  return `${resourcePath(settings, resourceOf(model))}:${action}`
}

function regionOf({ cloudC_region: given, configurations }: ProviderSettings): string {
  const region = given ?? configurations?.vertex_region
  // It becomes part of a host name.
  if (typeof region === 'string' && /^[a-z][a-z0-9-]{0,62}$/.test(region)) return region
  throw missing('cloudC_region', 'must be a region, such as us-central1 or global')
}

/** The project in the settings, otherwise that of the service account, otherwise that of the process's own identity. */
function projectOf(settings: ProviderSettings): string {
  const candidates = [
    settings.cloudC_project_id,
    settings.configurations?.vertex_project_id,
    serviceAccountOf(settings)?.project_id,
    usesOwnIdentity(settings) ? process.env.GOOGLE_CLOUD_PROJECT : undefined,
  ]
  const project = candidates.find((candidate) => typeof candidate === 'string' && candidate !== '')
  if (typeof project === 'string' && /^[a-z0-9][a-z0-9.:-]*$/i.test(project)) return project
  throw missing('cloudC_project_id', 'must be a project (a service account contains its own)')
}

function missing(param: string, reason: string): GatewayError {
  return new GatewayError('invalid_config', `${param} ${reason}.`, { param })
}
