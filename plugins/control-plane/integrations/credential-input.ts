/**
 * Converts the accepted spellings of `configurations` (management contract, sections 11 and 12) to the stored one: the
 * names that configs use (`cloudA_…`), the older names of virtual keys, and JSON in a string.
 */
import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'

const prefixes: readonly [from: string, to: string][] = [
  ['cloudA_', 'aws_'],
  ['cloudB_', 'azure_'],
  ['cloudC_', 'vertex_'],
]

/** Members whose name differs where the provider has this one. */
const renamed: Readonly<Record<string, string>> = {
  resource_name: 'azure_resource_name',
  api_version: 'azure_api_version',
  deployments: 'azure_deployment_config',
}

/** The older member names of virtual keys. */
const older: Readonly<Record<string, string>> = {
  resourceName: 'resource_name',
  apiVersion: 'api_version',
  deploymentConfig: 'deployments',
}

/**
 * @param members as sent; null clears one
 * @param known the members that the provider's own schema has
 */
export function normaliseConfigurations(members: JsonObject, known: readonly string[]): JsonObject {
  const normalised: JsonObject = {}
  for (const [written, value] of Object.entries(members)) {
    if (value === undefined) continue
    const name = nameOf(written, known)
    normalised[name] = name === renamed.deployments ? deploymentsOf(value) : parsed(name, value)
  }
  return normalised
}

function nameOf(written: string, known: readonly string[]): string {
  const name = ownMember(older, written) ?? written
  const other = ownMember(renamed, name)
  if (other !== undefined && known.includes(other)) return other
  for (const [from, to] of prefixes) {
    if (name.startsWith(from)) return to + name.slice(from.length)
  }
  return name
}

/** Entries in any of the three spellings. */
function deploymentsOf(value: Json): Json {
  if (!Array.isArray(value)) return value
  return value.map((entry): Json => {
    if (!isObject(entry)) return entry
    const { deployment_id, deploymentName, api_version, apiVersion, isDefault, ...rest } = entry
    const named: JsonObject = {}
    for (const [name, member] of Object.entries(rest))
      if (member !== undefined) named[nameOf(name, [])] = member
    const deployment = deployment_id ?? deploymentName
    const version = api_version ?? apiVersion
    if (deployment !== undefined) named.azure_deployment_name ??= deployment
    if (version !== undefined) named.azure_api_version ??= version
    if (isDefault !== undefined) named.is_default ??= isDefault
    // In the older spellings the alias is the model.
    const model = named.alias ?? deployment
    if (named.azure_model_slug === undefined && deployment !== undefined && model !== undefined) {
      named.azure_model_slug = model
    }
    return named
  })
}

/** A service account: the object in its file, or the text of that file. */
function parsed(name: string, value: Json): Json {
  if (!name.endsWith('_json') || typeof value !== 'string') return value
  try {
    const object: unknown = JSON.parse(value)
    return isObject(object) ? object : value
  } catch (error) {
    if (error instanceof SyntaxError) return value
    throw error
  }
}

/** The older root members of a virtual key as `configurations`. */
export function fromOlderMembers(body: JsonObject): JsonObject {
  const members: JsonObject = {}
  for (const name of Object.keys(older)) {
    const value = body[name]
    if (value !== undefined && value !== null) members[name] = value
  }
  const { deploymentName, apiVersion, deploymentConfig } = body
  const version = typeof apiVersion === 'string' ? { apiVersion } : {}
  if (typeof deploymentName === 'string' && !Array.isArray(deploymentConfig)) {
    members.deploymentConfig = [{ deploymentName, is_default: true, ...version }]
  }
  const [only, ...more] = Array.isArray(deploymentConfig) ? deploymentConfig : []
  if (isObject(only) && more.length === 0)
    members.deploymentConfig = [{ ...version, ...only, is_default: true }]
  return members
}

/**
 * The authentication method: derived from the members if the older form of a credential does not specify one.
 * @param known the members that the provider's own schema has
 */
export function withAuthKind(members: JsonObject, known: readonly string[]): JsonObject {
  const named = normaliseConfigurations(members, known)
  const add = (member: string, kind: string): JsonObject =>
    known.includes(member) && named[member] === undefined ? { ...named, [member]: kind } : named
  if (known.includes('azure_auth_mode')) return add('azure_auth_mode', 'default')
  if (known.includes('vertex_auth_type')) {
    return add(
      'vertex_auth_type',
      named.vertex_service_account_json === undefined ? 'basic' : 'serviceAccount',
    )
  }
  if (named.aws_role_arn !== undefined) return add('aws_auth_type', 'assumedRole')
  return add('aws_auth_type', named.aws_access_key_id === undefined ? 'apiKey' : 'accessKey')
}
