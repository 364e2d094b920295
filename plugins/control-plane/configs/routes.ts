/** Versions of a config: listing them, and restoring one (management contract, section 13). */

import {
  type Capability,
  faultsError,
  isObject,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import {
  type ConfigData,
  kinds,
  maskContent,
  openContent,
  recordOf,
  sealContent,
  timeOrderedId,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  answerOne,
  type Call,
  conflict,
  type ExtraRoute,
  isFileDocument,
  isOfFile,
  listAnswer,
  notFound,
  type Paging,
  pagingOf,
  present,
  type Resource,
  toIso,
  writerOf,
} from '../engine/index.ts'
import { findVersion, listVersions, pageQuery, referencesOf, versionWrite } from '../shared/index.ts'
import { configFaults } from './faults.ts'
import { isRunning, latestVersion, runningRule } from './rollouts/data.ts'

const versionAnswer = Type.Object(
  {
    object: Type.Literal('config-version'),
    version: Type.Integer({ minimum: 1 }),
    version_id: Type.String(),
    config: Type.Object({}, { additionalProperties: true }),
    updated_by: Type.Union([Type.String(), Type.Null()]),
    created_at: Type.String(),
  },
  { title: 'ConfigVersion' },
)

const versionList = Type.Object({
  object: Type.Literal('list'),
  total: Type.Integer(),
  current_page: Type.Integer(),
  page_size: Type.Integer(),
  has_more: Type.Boolean(),
  data: Type.Array(versionAnswer),
})

/** @param resource the config resource, once it is declared */
export const configRoutes = <Need extends Capability>(
  resource: () => Resource<JsonObject, Need>,
): ExtraRoute<ConfigData, Need | 'checkConfig'>[] => [
  {
    method: 'GET',
    path: '/:id/versions',
    operationId: 'configVersions',
    summary: 'Lists the versions of a config, newest first',
    action: 'read',
    query: pageQuery,
    answer: versionList,
    handle: async (call, document) => versionsAnswer(call, document),
  },
  {
    method: 'POST',
    path: '/:id/rollback',
    operationId: 'configRollback',
    summary: 'Creates a new version of a config from an earlier one',
    action: 'update',
    isBodyOptional: false,
    body: Type.Object({ version: Type.Integer({ minimum: 1 }) }, { additionalProperties: false }),
    handle: async (call, document) => {
      const stored = await rollBack(call, document)
      return answerOne(call.request, stored.version, await present(resource(), stored, { call, view: 'one' }))
    },
  },
]

async function versionsAnswer(call: Call, document: StoredDocument<ConfigData>): Promise<JsonObject> {
  const paging = pagingOf(call.query)
  const { total, data } = isFileDocument(document)
    ? { total: 1, data: paging.current_page === 0 ? [fileVersion(document, call)] : [] }
    : await storedVersions(call, document, paging)
  return listAnswer(data, total, paging)
}

/** Objects of the config file have one version. */
const fileVersion = (
  { kind, id, data, created_at }: StoredDocument<ConfigData>,
  { context }: Call,
): JsonObject => ({
  object: 'config-version',
  version: data.config_version,
  version_id: data.version_id,
  config: maskContent(data.config, context.sealer, recordOf({ kind, id })),
  updated_by: null,
  created_at: toIso(created_at),
})

async function storedVersions(call: Call, { id }: StoredDocument<ConfigData>, paging: Paging) {
  const { total, versions } = await listVersions(call, kinds.configVersion, { documentId: id, paging })
  const data = versions.map(
    ({ kind, id: versionId, created_at, data: { version, content, updated_by } }): JsonObject => ({
      object: 'config-version',
      version,
      version_id: versionId,
      config: maskContent(content, call.context.sealer, recordOf({ kind, id: versionId })).config ?? {},
      updated_by,
      created_at: toIso(created_at),
    }),
  )
  return { total, data }
}

/** Validates the old content again, because objects that it refers to may have been deleted. */
async function rollBack(call: Call<'checkConfig'>, document: StoredDocument<ConfigData>) {
  if (isFileDocument(document)) throw isOfFile('config', call.context.filePath)
  const { version: wanted } = call.body as { version: number }
  const old = await findVersion(call, { kind: kinds.configVersion, documentId: document.id, version: wanted })
  if (old === null) throw notFound('/version', 'version of this config')
  const { sealer } = call.context
  const { config: opened } = openContent(old.data.content, sealer, recordOf(old))
  const config = isObject(opened) ? opened : {}
  const faults = await configFaults(call, config, document.workspace_id ?? '')
  if (isRunning(document.data)) throw conflict(`The config ${runningRule}.`)
  if (faults.length > 0) throw faultsError(faults)
  const { version: expected, ...rest } = document
  const version = latestVersion(document.data) + 1
  const id = timeOrderedId(call.nowMs)
  const content = sealContent({ config }, sealer, recordOf({ kind: kinds.configVersion, id }))
  const draft = {
    ...rest,
    last_updated_at: call.nowMs,
    attributes: { ...rest.attributes, ...referencesOf(config) },
    data: {
      ...document.data,
      config: sealContent(config, sealer, recordOf(document)),
      config_version: version,
      version_id: id,
      latest_version: version,
      updated_by: writerOf(call),
    },
  }
  const [stored] = await call.commit(
    [
      { op: 'put', document: draft, expected },
      versionWrite({ kind: kinds.configVersion, id, version, content }, draft, call),
    ],
    {
      action: 'rollback',
      resource_type: 'config',
      resource_id: document.id,
      workspace_id: document.workspace_id,
      before: { config: document.data.config, version: document.data.config_version },
      after: { config, version },
    },
  )
  if (stored === undefined) throw conflict('The config was changed concurrently. Send the request again.')
  return stored
}
