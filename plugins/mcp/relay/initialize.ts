/**
 * `initialize`: answered by the gateway, which stores no session. It offers the capabilities of the upstream except
 * those that need a channel back to the client: list changes, subscriptions, tasks.
 */
import { isGatewayError, isObject, type JsonObject } from '@gateway/contract'
import { RpcFault, type RpcRequest } from '../messages.ts'
import { latestVersion, type ServerInfo, sessionVersions } from '../upstream/session.ts'
import type { Visit } from './visit.ts'
import { visitTarget } from './visit-target.ts'

export async function initialize(visit: Visit, { params }: RpcRequest): Promise<JsonObject> {
  const { protocolVersion: asked } = params
  const info = await describe(visit)
  const { server } = visit.place
  return {
    protocolVersion: typeof asked === 'string' && sessionVersions.includes(asked) ? asked : latestVersion,
    capabilities: offered(info.capabilities),
    serverInfo: {
      name: info.name ?? server.slug ?? 'mcp',
      title: server.name ?? server.slug ?? 'MCP server',
      version: info.version ?? '1.0.0',
    },
    ...(info.instructions === null ? {} : { instructions: info.instructions }),
  }
}

type Known = Pick<ServerInfo, 'name' | 'version' | 'capabilities' | 'instructions'>

/** Capabilities to assume when the upstream cannot be reached yet. */
const unknown: Known = { name: null, version: null, capabilities: { tools: {} }, instructions: null }

/** The upstream's capabilities: from a sync, otherwise from its `initialize`. */
async function describe(visit: Visit): Promise<Known> {
  const { catalogue } = visit.place
  if (catalogue !== null && catalogue.data.last_synced_at !== null) {
    const { server_name, server_version, capability_flags, instructions } = catalogue.data
    return { name: server_name, version: server_version, capabilities: capability_flags, instructions }
  }
  try {
    const target = await visitTarget(visit)
    return (await visit.runtime.pool.acquire(target, { signal: visit.controller.signal })).info
  } catch (error) {
    if (isGatewayError(error) || error instanceof RpcFault || error instanceof Error) {
      visit.runtime.context.log.info(
        { server: visit.place.server.slug, reason: error.message },
        'failed to read the capabilities of an MCP server',
      )
      return unknown
    }
    throw error
  }
}

/** Removes capabilities whose notifications would never reach the client. */
function offered(capabilities: JsonObject): JsonObject {
  const shown: JsonObject = {}
  for (const name of ['tools', 'prompts', 'resources', 'logging', 'completions']) {
    const value = capabilities[name]
    if (!isObject(value)) continue
    const { listChanged: _, subscribe: __, ...rest } = value
    shown[name] = rest
  }
  return shown
}
