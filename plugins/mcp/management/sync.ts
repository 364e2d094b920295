/**
 * Reads the capabilities of an upstream and stores them: tools, prompts, resources, templates and server metadata. New
 * ones start with the integration's default, missing ones are removed, switches stay. A failed sync keeps the stored
 * data.
 */
import {
  type DocumentDraft,
  type DocumentWrite,
  GatewayError,
  isGatewayError,
  isObject,
  type JsonObject,
} from '@gateway/contract'
import { kinds, type McpCapabilityType, type McpCatalogueData } from '@gateway/domain'
import { switchKey } from '../capabilities.ts'
import type { Catalogue, Integration } from '../directory.ts'
import { RpcFault } from '../messages.ts'
import type { McpRuntime } from '../runtime.ts'
import type { CallIo, ServerInfo, Session } from '../upstream/session.ts'
import { SessionLost, UpstreamUnauthorized } from '../upstream/target.ts'
import { type TargetOptions, targetOf } from '../upstream/target-of.ts'

type Found = McpCatalogueData['capabilities']

/** The lists to request, by the upstream's own capabilities. */
const lists: readonly {
  capability: string
  method: string
  member: string
  type: McpCapabilityType
  key: string
}[] = [
  { capability: 'tools', method: 'tools/list', member: 'tools', type: 'tool', key: 'name' },
  { capability: 'prompts', method: 'prompts/list', member: 'prompts', type: 'prompt', key: 'name' },
  { capability: 'resources', method: 'resources/list', member: 'resources', type: 'resource', key: 'uri' },
  {
    capability: 'resources',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    type: 'resource_template',
    key: 'uriTemplate',
  },
]

const maxPages = 100
const maxItems = 5000
const maxBytes = 4 * 1_048_576
const syncMs = 60_000

export const emptyCatalogue: McpCatalogueData = {
  server_name: null,
  server_version: null,
  protocol_version: null,
  capability_flags: {},
  instructions: null,
  sync_status: 'never',
  last_synced_at: null,
  sync_error: null,
  capabilities: [],
}

/**
 * The capabilities that the upstream offers this caller. Errors: those of calls, and `upstream_invalid_response` if
 * there are too many.
 */
export async function askUpstream(
  runtime: McpRuntime,
  integration: Integration,
  options: TargetOptions,
): Promise<{ info: ServerInfo; found: Found }> {
  let target = await targetOf(runtime, integration, options)
  const io: CallIo = { signal: AbortSignal.timeout(syncMs), headers: target.callHeaders }
  const ask = async () => {
    const session = await runtime.openSession(target, io, { asksAnew: true })
    try {
      return { info: session.info, found: await listAll(session, io) }
    } finally {
      session.close()
    }
  }
  try {
    return await ask()
  } catch (error) {
    if (error instanceof UpstreamUnauthorized && target.renew !== null) {
      const token = await target.renew()
      target = { ...target, headers: { ...target.headers, authorization: `Bearer ${token}` } }
      return ask()
    }
    throw error
  }
}

async function listAll(session: Session, io: CallIo): Promise<Found> {
  const found: Found = []
  let bytes = 0
  for (const { capability, method, member, type, key } of lists) {
    if (!isObject(session.info.capabilities[capability])) continue
    let cursor: string | null = null
    for (let page = 0; page < maxPages; page += 1) {
      const result: JsonObject | null = await ask(session, method, {
        cursor,
        io,
        isOptional: type === 'resource_template',
      })
      if (result === null) break
      const items = result[member]
      for (const item of Array.isArray(items) ? items : []) {
        if (!isObject(item)) continue
        const name = item[key]
        if (typeof name !== 'string') continue
        bytes += JSON.stringify(item).length
        found.push({ type, name, definition: item })
      }
      if (found.length > maxItems || bytes > maxBytes)
        throw new GatewayError(
          'upstream_invalid_response',
          'The MCP server lists more capabilities than the gateway stores.',
        )
      cursor = typeof result.nextCursor === 'string' ? result.nextCursor : null
      if (cursor === null) break
    }
  }
  return found
}

interface AskOptions {
  cursor: string | null
  io: CallIo
  isOptional: boolean
}

/** @param isOptional whether an upstream may lack the method although it has the capability */
async function ask(
  session: Session,
  method: string,
  { cursor, io, isOptional }: AskOptions,
): Promise<JsonObject | null> {
  const params = cursor === null ? {} : { cursor }
  for await (const message of session.call({ id: 0, method, params }, io)) {
    if (message.method !== undefined) continue
    if (isObject(message.result)) return message.result
    if (isOptional) return null
    throw new GatewayError('upstream_invalid_response', `The MCP server refused ${method}.`)
  }
  return null
}

/** The caller of automatic syncs: a service, not a user. */
export const syncOptions: TargetOptions = {
  person: 'sync',
  workspaceId: null,
  headers: {},
  caller: null,
  server: null,
}

export interface SyncOutcome {
  writes: DocumentWrite[]
  catalogue: McpCatalogueData
  /** Null if the sync succeeded. */
  error: GatewayError | null
}

/** The writes of a sync, whether it succeeded or failed. */
export async function sync(
  runtime: McpRuntime,
  integration: Integration,
  { before, options }: { before: Catalogue | null; options: TargetOptions },
): Promise<SyncOutcome> {
  const now = runtime.context.now()
  const known = before?.data ?? emptyCatalogue
  try {
    const { info, found } = await askUpstream(runtime, integration, options)
    const catalogue: McpCatalogueData = {
      server_name: info.name,
      server_version: info.version,
      protocol_version: info.protocolVersion,
      capability_flags: info.capabilities,
      instructions: info.instructions,
      sync_status: 'ok',
      last_synced_at: new Date(now).toISOString(),
      sync_error: null,
      capabilities: found,
    }
    const writes = [
      putCatalogue(integration, before, { catalogue, now }),
      ...newSwitches(integration, known, found),
    ]
    return { writes, catalogue, error: null }
  } catch (error) {
    const fault = asFault(error)
    const catalogue: McpCatalogueData = { ...known, sync_status: 'failed', sync_error: fault.message }
    return { writes: [putCatalogue(integration, before, { catalogue, now })], catalogue, error: fault }
  }
}

/** A failed sync is 502 for any cause at the upstream. Other errors stay unchanged. */
function asFault(error: unknown): GatewayError {
  if (isGatewayError(error)) {
    return error.status >= 500 && error.code !== 'store_unavailable'
      ? new GatewayError('upstream_unreachable', error.message, { cause: error })
      : error
  }
  if (error instanceof RpcFault) return new GatewayError('upstream_invalid_response', error.message)
  if (error instanceof UpstreamUnauthorized)
    return new GatewayError('upstream_invalid_response', 'The MCP server refused the credential.')
  if (error instanceof SessionLost)
    return new GatewayError('upstream_unreachable', 'The MCP server lost the session.')
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new GatewayError('upstream_unreachable', 'The MCP server took too long.')
  throw error
}

function putCatalogue(
  { id, organisation_id, workspace_id }: Integration,
  before: Catalogue | null,
  { catalogue, now }: { catalogue: McpCatalogueData; now: number },
): DocumentWrite {
  const document: DocumentDraft<JsonObject> = {
    kind: kinds.mcpCatalogue,
    id,
    organisation_id,
    workspace_id,
    slug: null,
    name: null,
    status: 'active',
    created_at: before?.created_at ?? now,
    last_updated_at: now,
    keys: [],
    attributes: {},
    data: { ...catalogue },
  }
  return { op: 'put', document }
}

/** The switches to write for new capabilities, if they start disabled. */
function newSwitches(integration: Integration, known: McpCatalogueData, found: Found): DocumentWrite[] {
  const { new_capabilities_enabled: startsOn = true, switches = {} } = integration.data
  if (startsOn || integration.version === 0) return []
  const before = new Set(known.capabilities.map(({ type, name }) => switchKey(type, name)))
  const added = found
    .map(({ type, name }) => switchKey(type, name))
    .filter((key) => !before.has(key) && switches[key] === undefined)
  if (added.length === 0) return []
  const { version, ...draft } = integration
  const after = { ...switches, ...Object.fromEntries(added.map((key) => [key, false])) }
  const data: JsonObject = {
    ...integration.data,
    secret_mappings: integration.data.secret_mappings.map((one): JsonObject => ({ ...one })),
    switches: after,
  }
  return [{ op: 'put', document: { ...draft, data }, expected: version }]
}
