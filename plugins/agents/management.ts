/** `/agent-integrations` and `/agent-servers` (management contract, section 20). */
import {
  type Fault,
  faultsError,
  GatewayError,
  isObject,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import { type Call, type ExtraRoute, notFound, nullable, type Resource } from '@gateway/control-plane/engine'
import {
  commitSwitches,
  customHeadersSchema,
  forwardHeadersSchema,
  headerFaults,
  integrationIdOf,
  integrationOf,
  remoteIntegration,
  remoteServer,
  timeoutSchema,
} from '@gateway/control-plane/remote-servers'
import { kinds, type RemoteIntegrationData, type RemoteServerData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { fetchCard, isSkillOn, skillKey, skillsOf } from './card.ts'
import type { Integration, Server } from './directory.ts'
import type { AgentRuntime } from './upstream.ts'

const configurations = Type.Object(
  {
    custom_headers: Type.Optional(customHeadersSchema),
    forward_headers: Type.Optional(forwardHeadersSchema),
    timeout_ms: Type.Optional(timeoutSchema),
  },
  { additionalProperties: false },
)

const anyObject = Type.Object({}, { additionalProperties: true })

const skill = Type.Object(
  {
    id: Type.String(),
    name: nullable(Type.String()),
    description: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    enabled: Type.Boolean(),
    integration_enabled: Type.Boolean(),
  },
  { additionalProperties: false },
)

const skillList = Type.Object(
  { object: Type.Literal('list'), total: Type.Integer(), data: Type.Array(skill), skills: Type.Array(skill) },
  { additionalProperties: false },
)

const skillBody = Type.Object(
  {
    skills: Type.Array(
      Type.Object(
        { id: Type.String({ minLength: 1, maxLength: 255 }), enabled: Type.Boolean() },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 1000 },
    ),
  },
  { additionalProperties: false },
)

export const agentIntegrations = (runtime: AgentRuntime): Resource<JsonObject, 'checkUrl'> =>
  remoteIntegration({
    kind: kinds.agentIntegration,
    object: 'agent-integration',
    title: 'agent integration',
    tag: 'Agents',
    operation: 'agentIntegration',
    path: '/agent-integrations',
    family: 'agent_integrations',
    serverKind: kinds.agentServer,
    serverTitle: 'agent server',
    authTypes: ['none', 'headers'],
    configurations,
    fields: { protocol: { schema: Type.Unsafe({ type: 'string', enum: ['a2a'] }), default: 'a2a' } },
    routes: [
      fetchCardRoute(runtime),
      ...skillRoutes<RemoteIntegrationData>(runtime, {
        operation: 'agentIntegration',
        title: 'agent integration',
        object: 'agent-integration',
        read: [
          'organisation_agent_integrations.read',
          'workspace_agent_integrations.read',
          'agent_integration_skills.list',
        ],
        update: [
          'organisation_agent_integrations.update',
          'workspace_agent_integrations.update',
          'agent_integration_skills.update',
        ],
        placeOf: async (_, integration) => ({ integration, server: null }),
      }),
    ],
  })

export const agentServers = (runtime: AgentRuntime): Resource<JsonObject, 'publicUrl'> =>
  remoteServer({
    kind: kinds.agentServer,
    object: 'agent-server',
    title: 'agent server',
    tag: 'Agents',
    operation: 'agentServer',
    path: '/agent-servers',
    family: 'agent_servers',
    integrationKind: kinds.agentIntegration,
    integrationTitle: 'agent integration',
    integrationField: 'agent_integration_id',
    userAccessFamily: 'agent_server_user_access',
    urlOf: (publicUrl, slug) => `${publicUrl}/v1/agent/${slug}`,
    routes: [
      {
        method: 'GET',
        path: '/:id/agent-card',
        operationId: 'agentServerCard',
        summary: 'Fetches the unchanged card of the agent behind a server',
        action: 'read',
        answer: anyObject,
        async handle(call, server) {
          const integration = await integrationOfServer(call, server)
          return fetchCard(runtime, integration, {
            workspaceId: server.workspace_id,
            signal: call.request.signal,
          })
        },
      },
      ...skillRoutes<RemoteServerData>(runtime, {
        operation: 'agentServer',
        title: 'agent server',
        object: 'agent-server',
        read: ['agent_servers.read', 'agent_server_skills.list'],
        update: ['agent_servers.update', 'agent_server_skills.update'],
        placeOf: async (call, server) => ({ integration: await integrationOfServer(call, server), server }),
      }),
    ],
  })

async function integrationOfServer(call: Call, { data }: Server): Promise<Integration> {
  const found = await integrationOf(call, kinds.agentIntegration, integrationIdOf(data))
  if (found === null) throw notFound('path/id', 'agent integration')
  return found
}

/** Settings for a URL that has no integration yet. */
const fetchCardRoute = (runtime: AgentRuntime): ExtraRoute<RemoteIntegrationData, 'checkUrl'> => ({
  method: 'POST',
  path: '/fetch-agent-card',
  operationId: 'agentCardFetch',
  summary: 'Fetches the card of an agent that has no integration yet',
  action: 'create',
  body: Type.Object(
    {
      url: Type.String({ minLength: 1, maxLength: 2048 }),
      auth_type: Type.Optional(Type.Unsafe({ type: 'string', enum: ['none', 'headers'] })),
      configurations: Type.Optional(configurations),
    },
    { additionalProperties: false },
  ),
  answer: anyObject,
  async handle(call) {
    const { url, configurations: given } = call.body
    const reason = call.context.checkUrl(String(url))
    if (reason !== null) throw new GatewayError('host_not_allowed', `/url: ${reason}`, { param: '/url' })
    const faults = isObject(given) ? headerFaults(given) : []
    if (faults.length > 0) throw faultsError(faults)
    const draft: Integration = {
      kind: kinds.agentIntegration,
      id: '',
      organisation_id: call.organisationId,
      workspace_id: null,
      slug: null,
      name: null,
      status: 'active',
      version: 0,
      created_at: 0,
      last_updated_at: 0,
      keys: [],
      attributes: {},
      data: {
        url: String(url),
        auth_type: 'headers',
        description: null,
        configurations: isObject(given) ? given : {},
        sealed: null,
        secret_mappings: [],
      },
    }
    return fetchCard(runtime, draft, { workspaceId: null, signal: call.request.signal })
  },
})

interface SkillWords<Data> {
  operation: string
  title: string
  object: string
  read: readonly string[]
  update: readonly string[]
  placeOf(
    call: Call,
    document: StoredDocument<Data>,
  ): Promise<{ integration: Integration; server: Server | null }>
}

function skillRoutes<Data extends RemoteIntegrationData | RemoteServerData>(
  runtime: AgentRuntime,
  { operation, title, object, read, update, placeOf }: SkillWords<Data>,
): ExtraRoute<Data>[] {
  const list = async (call: Call, document: StoredDocument<Data>): Promise<JsonObject> => {
    const { integration, server } = await placeOf(call, document)
    const card = await fetchCard(runtime, integration, {
      workspaceId: document.workspace_id,
      signal: call.request.signal,
    })
    const data = skillsOf(card).map((one) => viewOf(one, integration, server))
    return { object: 'list', total: data.length, data, skills: data }
  }
  return [
    {
      method: 'GET',
      path: '/:id/skills',
      operationId: `${operation}Skills`,
      summary: `Lists the skills of an ${title} and whether each is shown`,
      action: null,
      scopes: read,
      answer: skillList,
      handle: list,
    },
    {
      method: 'PUT',
      path: '/:id/skills',
      operationId: `${operation}SkillsUpdate`,
      summary: `Shows or hides skills of an ${title}`,
      action: null,
      scopes: update,
      body: skillBody,
      answer: skillList,
      async handle(call, document) {
        const { integration, server } = await placeOf(call, document)
        const card = await fetchCard(runtime, integration, {
          workspaceId: document.workspace_id,
          signal: call.request.signal,
        })
        const switches = readSwitches(call, new Set(skillsOf(card).map(({ id }) => String(id))), {
          integration,
          server,
        })
        await commitSwitches(call, document, {
          switches,
          words: { title, resource_type: `${object}-skills` },
        })
        const data = { ...document.data, switches: { ...document.data.switches, ...switches } }
        return list(call, { ...document, data })
      },
    },
  ]
}

function viewOf(
  { id, name, description, tags }: JsonObject,
  integration: Integration,
  server: Server | null,
): JsonObject {
  const byIntegration = isSkillOn(integration.data.switches, String(id))
  return {
    id: String(id),
    name: typeof name === 'string' ? name : null,
    description: typeof description === 'string' ? description : null,
    tags: Array.isArray(tags) ? tags.map(String) : [],
    enabled: byIntegration && (server === null || isSkillOn(server.data.switches, String(id))),
    integration_enabled: byIntegration,
  }
}

function readSwitches(
  call: Call,
  known: ReadonlySet<string>,
  { integration, server }: { integration: Integration; server: Server | null },
): Record<string, boolean> {
  const faults: Fault[] = []
  const switches: Record<string, boolean> = {}
  for (const [index, entry] of (Array.isArray(call.body.skills) ? call.body.skills : [])
    .filter(isObject)
    .entries()) {
    const id = String(entry.id)
    const isOn = entry.enabled === true
    const at = `/skills/${index}`
    if (Object.hasOwn(switches, skillKey(id)))
      faults.push({ param: `${at}/id`, code: 'invalid_body', message: 'is named twice' })
    else if (!known.has(id))
      faults.push({ param: `${at}/id`, code: 'invalid_body', message: 'is not a skill of this agent' })
    else if (server !== null && isOn && !isSkillOn(integration.data.switches, id))
      faults.push({
        param: `${at}/enabled`,
        code: 'invalid_body',
        message: 'is disabled for the whole integration: enable it there first',
      })
    else switches[skillKey(id)] = isOn
  }
  if (faults.length > 0) throw faultsError(faults)
  return switches
}
