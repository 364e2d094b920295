/** The enabled capabilities of an upstream: `GET` and `PUT /…/{id}/capabilities`, of integrations and of servers. */
import {
  type Fault,
  faultsError,
  GatewayError,
  isObject,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import { type Call, type ExtraRoute, notFound, nullable } from '@gateway/control-plane/engine'
import { commitSwitches, integrationIdOf, integrationOf } from '@gateway/control-plane/remote-servers'
import {
  kinds,
  type McpCapabilityType,
  type RemoteIntegrationData,
  type RemoteServerData,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { isEnabled, isEnabledByIntegration, switchKey } from '../capabilities.ts'
import type { Integration, Place, Server } from '../directory.ts'
import type { McpRuntime } from '../runtime.ts'

const types = ['tool', 'prompt', 'resource', 'resource_template'] as const
const typeSchema = Type.Unsafe<McpCapabilityType>({ type: 'string', enum: [...types] })

const query = Type.Object({
  type: Type.Optional(typeSchema),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
})

const item = Type.Object(
  {
    name: Type.String(),
    type: typeSchema,
    enabled: Type.Boolean(),
    integration_enabled: Type.Boolean(),
    title: nullable(Type.String()),
    description: nullable(Type.String()),
    input_schema: nullable(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: true },
)

const count = Type.Object({ total: Type.Integer(), enabled: Type.Integer() }, { additionalProperties: false })

const answer = Type.Object(
  {
    object: Type.Literal('list'),
    total: Type.Integer(),
    current_page: Type.Integer(),
    page_size: Type.Integer(),
    has_more: Type.Boolean(),
    data: Type.Array(item),
    counts: Type.Object({ tool: count, prompt: count, resource: count, resource_template: count }),
  },
  { additionalProperties: false },
)

const body = Type.Object(
  {
    capabilities: Type.Array(
      Type.Object(
        { name: Type.String({ minLength: 1, maxLength: 2048 }), type: typeSchema, enabled: Type.Boolean() },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 5000 },
    ),
  },
  { additionalProperties: false },
)

const done = Type.Object({ success: Type.Literal(true) }, { additionalProperties: false })

interface Words {
  operation: string
  title: string
  object: string
}

function routesFor<Data extends RemoteIntegrationData | RemoteServerData>(
  { operation, title, object }: Words,
  placeOf: (call: Call, document: StoredDocument<Data>) => Promise<Shown>,
): ExtraRoute<Data>[] {
  return [
    {
      method: 'GET',
      path: '/:id/capabilities',
      operationId: `${operation}Capabilities`,
      summary: `Lists the capabilities of an ${title} and whether each is enabled`,
      action: 'read',
      query,
      answer,
      handle: async (call, document) => show(call, await placeOf(call, document)),
    },
    {
      method: 'PUT',
      path: '/:id/capabilities',
      operationId: `${operation}CapabilitiesUpdate`,
      summary: `Enables or disables capabilities of an ${title}`,
      action: 'update',
      body,
      bodyLimit: 1_048_576,
      answer: done,
      async handle(call, document) {
        const switches = readSwitches(call, await placeOf(call, document))
        await commitSwitches(call, document, {
          switches,
          words: { title, resource_type: `${object}-capabilities` },
        })
        return { success: true }
      },
    },
  ]
}

/** The object of the route: an integration, or one of its servers. */
interface Shown extends Pick<Place, 'integration' | 'catalogue'> {
  server: Server | null
}

export const integrationCapabilityRoutes = (_: McpRuntime): ExtraRoute<RemoteIntegrationData>[] =>
  routesFor<RemoteIntegrationData>(
    { operation: 'mcpIntegration', title: 'MCP integration', object: 'mcp-integration' },
    async (call, integration) => shownOf(call, integration, null),
  )

export const serverCapabilityRoutes = (_: McpRuntime): ExtraRoute<RemoteServerData>[] =>
  routesFor<RemoteServerData>(
    { operation: 'mcpServer', title: 'MCP server', object: 'mcp-server' },
    async (call, server) => {
      const found = await integrationOf(call, kinds.mcpIntegration, integrationIdOf(server.data))
      if (found === null) throw notFound('path/id', 'MCP integration')
      return shownOf(call, found, server)
    },
  )

const shownOf = async (call: Call, integration: Integration, server: Server | null): Promise<Shown> => ({
  integration,
  server,
  catalogue: await call.documents.get(kinds.mcpCatalogue, integration.id),
})

type Entry = {
  name: string
  type: McpCapabilityType
  definition: JsonObject
  enabled: boolean
  byIntegration: boolean
}

function entriesOf(shown: Shown): Entry[] {
  const { server } = shown
  return (shown.catalogue?.data.capabilities ?? []).map(({ type, name, definition }) => {
    const byIntegration = isEnabledByIntegration(shown, type, name)
    const enabled = server === null ? byIntegration : isEnabled({ ...shown, server }, type, name)
    return { type, name, definition, enabled, byIntegration }
  })
}

function show(call: Call, shown: Shown): JsonObject {
  const { type, search, page, current_page, page_size = 100 } = call.query
  const all = entriesOf(shown)
  const wanted = String(search ?? '').toLowerCase()
  const listed = all.filter(
    (entry) =>
      (type === undefined || entry.type === type) &&
      (wanted === '' || entry.name.toLowerCase().includes(wanted)),
  )
  const number =
    current_page === undefined ? (page === undefined ? 0 : Number(page) - 1) : Number(current_page)
  const size = Number(page_size)
  const data = listed.slice(number * size, (number + 1) * size).map(view)
  return {
    object: 'list',
    total: listed.length,
    current_page: number,
    page_size: size,
    has_more: number * size + data.length < listed.length,
    data,
    counts: Object.fromEntries(types.map((one) => [one, countOf(all.filter((entry) => entry.type === one))])),
  }
}

const countOf = (entries: readonly Entry[]): JsonObject => ({
  total: entries.length,
  enabled: entries.filter(({ enabled }) => enabled).length,
})

function view({ name, type, definition, enabled, byIntegration }: Entry): JsonObject {
  const { name: shownName, title, description, inputSchema, ...rest } = definition
  const further = Object.fromEntries(Object.entries(rest).map(([key, value]) => [snake(key), value ?? null]))
  return {
    ...further,
    ...(type === 'resource' || type === 'resource_template' ? { display_name: shownName ?? null } : {}),
    name,
    type,
    enabled,
    integration_enabled: byIntegration,
    title: typeof title === 'string' ? title : null,
    description: typeof description === 'string' ? description : null,
    input_schema: isObject(inputSchema) ? inputSchema : null,
  }
}

const snake = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

function readSwitches(call: Call, shown: Shown): Record<string, boolean> {
  const known = new Map(entriesOf(shown).map((entry) => [switchKey(entry.type, entry.name), entry]))
  const faults: Fault[] = []
  const switches: Record<string, boolean> = {}
  const listed = Array.isArray(call.body.capabilities) ? call.body.capabilities : []
  for (const [index, entry] of listed.entries()) {
    if (!isObject(entry)) continue
    // The body has passed the route's schema.
    const key = switchKey(entry.type as McpCapabilityType, String(entry.name))
    const found = known.get(key)
    const param = `/capabilities/${index}/name`
    if (Object.hasOwn(switches, key)) faults.push({ param, code: 'invalid_body', message: 'is named twice' })
    else if (found === undefined)
      faults.push({ param, code: 'invalid_body', message: 'is not a capability of the upstream' })
    else if (shown.server !== null && entry.enabled === true && !found.byIntegration) {
      const message = 'is disabled for the whole integration: enable it there first'
      faults.push({ param: `/capabilities/${index}/enabled`, code: 'invalid_body', message })
    } else switches[key] = entry.enabled === true
  }
  if (faults.length > 0) throw faultsError(faults)
  if (Object.keys(switches).length === 0)
    throw new GatewayError('invalid_body', 'The body changes nothing. Send at least one capability.')
  return switches
}
