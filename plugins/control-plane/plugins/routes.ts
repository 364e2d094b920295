/**
 * `GET /plugins`, `GET /plugins/{id}` and `PUT /plugins/{id}` (management contract, section 13): the installed
 * guardrail plugins with the organisation's settings and credentials. Settings from the config file are read-only here.
 */
import {
  type Fault,
  faultsError,
  GatewayError,
  isObject,
  type JsonObject,
  type PluginSummary,
  type Route,
  type ServiceAnswer,
  schemaAsJson,
} from '@gateway/contract'
import { firstOrganisationId, isSame, redact, splitSecrets, unknownName } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  answerOne,
  type Call,
  checkIfMatch,
  checkOrganisation,
  conflict,
  isOfFile,
  listAnswer,
  listSchema,
  type ManagementContext,
  nullable,
  pagingOf,
  plainRoute,
  toIso,
  untilUncontested,
} from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'
import {
  findSettings,
  mergeSettings,
  type SettingsDocument,
  settingsDocument,
  shownSettings,
} from './settings.ts'

const anyObject = Type.Object({}, { additionalProperties: true })

const answer = Type.Object(
  {
    id: Type.String({ description: 'The plugin’s id: the part before the dot in the ids of its checks.' }),
    object: Type.Literal('plugin'),
    name: Type.String(),
    version: Type.String(),
    enabled: Type.Boolean({ description: 'False if plugins.disabled of the config file lists it.' }),
    source: Type.Unsafe<'file' | 'api'>({
      type: 'string',
      enum: ['file', 'api'],
      description: 'file: the config file has its settings, and they are read-only here.',
    }),
    settings: Type.Object(
      {},
      { additionalProperties: true, description: 'The settings, with secrets masked.' },
    ),
    settings_schema: nullable(anyObject),
    last_updated_at: nullable(Type.String()),
  },
  { title: 'Plugin' },
)

/** An answer may be sent back unchanged. */
const body = Type.Object(
  {
    settings: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Merged with the stored settings, including objects inside them. Null removes a member.',
        },
      ),
    ),
    organisation_id: Type.Optional(Type.String()),
    ...Object.fromEntries(
      Object.entries(answer.properties)
        .filter(([name]) => name !== 'settings')
        .map(([name, schema]) => [name, Type.Optional(Type.Unsafe<unknown>(schema))]),
    ),
  },
  { additionalProperties: false },
)

const tag = 'Guardrails'
const update = 'organisation_settings.update'
const audit = (action: string) => ({ action, resource_type: 'plugin' })

export function pluginRoutes(context: ManagementContext<'checkUrl' | 'plugins'>): Route[] {
  const read = 'organisation_settings.read'
  return [
    plainRoute(context, {
      method: 'GET',
      path: '/v1/plugins',
      operationId: 'pluginList',
      summary: 'Lists the guardrail plugins with their settings and masked secrets',
      tag,
      scope: read,
      query: Type.Object({
        ...pageQuery.properties,
        search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      }),
      answer: listSchema(answer),
      audit: audit('list'),
      handle: listPlugins,
    }),
    plainRoute(context, {
      method: 'GET',
      path: '/v1/plugins/:id',
      operationId: 'pluginRead',
      summary: 'Returns a plugin with its settings and masked secrets',
      tag,
      scope: read,
      answer,
      audit: audit('read'),
      async handle(call) {
        const plugin = pluginOf(call)
        return answerPlugin(call, plugin, await findSettings(call, plugin.name))
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) =>
      plainRoute(context, {
        method,
        path: '/v1/plugins/:id',
        operationId: `plugin${method === 'PUT' ? 'Update' : 'Patch'}`,
        summary: 'Changes the settings and credentials of a plugin; omitted fields keep their values',
        tag,
        scope: update,
        body,
        answer,
        audit: audit('update'),
        handle: (call) => untilUncontested(call, 'plugin', () => change(call)),
      }),
    ),
  ]
}

async function listPlugins(call: Call<'plugins'>): Promise<JsonObject> {
  await call.require(['organisation_settings.read'], null)
  const paging = pagingOf(call.query)
  const wanted = String(call.query.search ?? '').toLowerCase()
  const found = call.context
    .plugins()
    .filter(({ name, title }) => `${name}\n${title}`.toLowerCase().includes(wanted))
  const from = paging.current_page * paging.page_size
  const shown = await Promise.all(
    found
      .slice(from, from + paging.page_size)
      .map(async (plugin) => present(call, plugin, await findSettings(call, plugin.name))),
  )
  return listAnswer(shown, found.length, paging)
}

function pluginOf(call: Call<'plugins'>): PluginSummary {
  const plugins = call.context.plugins()
  const { id: written = '' } = call.request.params
  const found = plugins.find(({ name }) => name === written)
  if (found !== undefined) return found
  const message = unknownName({ what: 'plugin', written, known: plugins.map(({ name }) => name) })
  throw new GatewayError('not_found', message, { param: 'path/id' })
}

function answerPlugin(call: Call, plugin: PluginSummary, document: SettingsDocument | null): ServiceAnswer {
  return answerOne(call.request, document?.version ?? 0, present(call, plugin, document))
}

function present(call: Call, plugin: PluginSummary, document: SettingsDocument | null): JsonObject {
  const { name, title, version, isEnabled, settings: schema, declared } = plugin
  return {
    id: name,
    object: 'plugin',
    name: title,
    version,
    enabled: isEnabled,
    source: declared === null ? 'api' : 'file',
    settings: declared === null ? shownSettings(document) : shownOfFile(call, declared),
    settings_schema: schema === null ? null : schemaAsJson(schema),
    last_updated_at: document === null || declared !== null ? null : toIso(document.last_updated_at),
  }
}

/**
 * The config file belongs to the first organisation. Others learn only that the file has the settings, not what they
 * are.
 */
function shownOfFile({ organisationId }: Call, declared: JsonObject): JsonObject {
  if (organisationId !== firstOrganisationId) return {}
  const { open, masked } = splitSecrets(declared)
  return { ...open, ...masked }
}

async function change(call: Call<'checkUrl' | 'plugins'>): Promise<ServiceAnswer> {
  await call.require([update], null)
  if (Object.keys(call.body).length === 0)
    throw new GatewayError('invalid_body', 'The body is empty. Send `settings`.', { param: '/' })
  await checkOrganisation(call, call.body.organisation_id, '/organisation_id')
  const plugin = pluginOf(call)
  if (plugin.declared !== null) throw isOfFile('plugin', call.context.filePath)
  if (!plugin.isEnabled)
    throw conflict(
      'The config file lists this plugin under plugins.disabled. Remove it from that list to change its settings.',
    )
  const before = await findSettings(call, plugin.name)
  checkIfMatch(call.request, before?.version ?? 0)
  const shown = present(call, plugin, before)
  const { settings: given } = call.body
  const merged = mergeSettings(call, plugin, { before, given: isObject(given) ? given : {} })
  const faults = [...readOnlyFaults(call.body, shown), ...merged.faults]
  if (faults.length > 0) throw faultsError(faults)
  const document = settingsDocument(call, plugin, { before, settings: merged.settings })
  const [stored] = await call.commit([{ op: 'put', document, expected: before?.version ?? 0 }], {
    action: 'update',
    resource_type: 'plugin',
    resource_id: plugin.name,
    before: { settings: redact(shown.settings) },
    after: { settings: redact(shownSettings({ ...document, version: 0 })) },
  })
  return answerPlugin(call, plugin, { ...document, version: stored?.version ?? 1 })
}

/** Read-only keys are accepted if their values are unchanged. */
function readOnlyFaults(sent: JsonObject, shown: JsonObject): Fault[] {
  return Object.entries(sent).flatMap(([name, value]): Fault[] =>
    name === 'settings' || name === 'organisation_id' || isSame(value, shown[name])
      ? []
      : [{ param: `/${name}`, code: 'invalid_body', message: 'is read-only' }],
  )
}
