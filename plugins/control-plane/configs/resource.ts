/**
 * Routing configs (management contract, section 13): validated with all their references, stored and versioned. A
 * version is a separate document (`config_version`), created in the same commit.
 */

import type { JsonObject, StoredDocument } from '@gateway/contract'
import {
  type ConfigData,
  isSame,
  kinds,
  maskContent,
  recordOf,
  sealContent,
  timeOrderedId,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, defineResource, notFound, type Resource, type Write } from '../engine/index.ts'
import { askedVersion, configsUsing, findVersion, usersByDefault, versionWrite } from '../shared/index.ts'
import { parseConfig } from './body.ts'
import { keepSecrets, openConfig } from './content.ts'
import { defaultWrite, isDefault, isDefaultOf, preloadDefaults, rememberDefault } from './default.ts'
import { configFaults } from './faults.ts'
import {
  attributesOf,
  endedRollout,
  isRunning,
  latestVersion,
  presentRollout,
  rolloutSchema,
  runningRule,
} from './rollouts/data.ts'
import { rolloutRoutes } from './rollouts/routes.ts'
import { configRoutes } from './routes.ts'
import { configValidateRoute } from './validate.ts'

/** Older clients send a number instead of a boolean. */
const flag = Type.Union([Type.Boolean(), Type.Literal(0), Type.Literal(1)], {
  explain: 'must be true, false, 0 or 1',
})

const configObject = Type.Object({}, { additionalProperties: true })

type Need = 'checkConfig' | 'logEntries' | 'logs'

export const configs: Resource<JsonObject, Need> = defineResource<ConfigData, Need>({
  kind: kinds.config,
  object: 'config',
  title: 'config',
  tag: 'Configs',
  operation: 'config',
  path: '/configs',
  level: 'workspace',
  families: [{ family: 'configs' }],
  slug: { prefix: 'cfg-' },
  hasVersions: true,
  readQuery: { version: Type.Optional(Type.Integer({ minimum: 1 })) },
  fields: {
    config: {
      schema: Type.Union([configObject, Type.String()], {
        explain: 'must be an object, or JSON in a string',
      }),
      isRequired: true,
      answer: Type.Optional(configObject),
    },
    publish: {
      schema: Type.Boolean({
        default: true,
        description:
          'false: the new version does not become live; a rollout or a rollback makes it live. The answer shows it.',
      }),
      writable: 'update',
      isTransient: true,
    },
    is_default: { schema: flag, isTransient: true },
    isDefault: { schema: flag, isTransient: true },
  },
  answers: {
    version: Type.Integer({ minimum: 1 }),
    version_id: Type.String(),
    live_version: Type.Integer({ minimum: 1, description: 'The version that requests get.' }),
    latest_version: Type.Integer({
      minimum: 1,
      description: 'The newest version, which need not be live.',
    }),
    rollout: Type.Union([rolloutSchema, Type.Null()], {
      description: 'The last rollout; null if there was none.',
    }),
    is_default: Type.Boolean(),
  },
  writableStatuses: ['active'],
  hooks: {
    prepare,
    attributes: attributesOf,
    preload: preloadDefaults,
    present: async (document, call, view) => {
      const content = view === 'list' ? withoutContent(document) : await askedContent(document, call)
      return Object.assign(content, {
        live_version: document.data.config_version,
        latest_version: latestVersion(document.data),
        rollout: presentRollout(document.data),
        is_default: await isDefault(document, call),
      })
    },
    async inUse({ id, slug, workspace_id: workspaceId }, call) {
      const names = slug === null ? [id] : [id, slug]
      const members = ['config_id', 'user_api_key_config']
      // A version may shadow another one of the same config.
      const others = await configsUsing(call, { as: 'configs', names, workspaceId })
      return [
        ...(await usersByDefault(call, { workspaceId, members, names })),
        ...others.filter((user) => user !== `config ${slug ?? id}`),
      ]
    },
  },
  routes: [configValidateRoute, ...configRoutes(() => configs), ...rolloutRoutes(() => configs)],
})

async function prepare(write: Write<ConfigData, 'checkConfig'>): Promise<void> {
  if (write.action === 'archive') {
    write.draft.data = endedRollout(write.draft.data, { status: 'cancelled' }, write.call.nowMs)
    return
  }
  if (write.isGiven('config')) await takeConfig(write)
  else if (write.body.publish === false) write.fault('/publish', 'needs config')
  await takeDefault(write)
}

/** Content that equals the previous content creates no version. */
async function takeConfig(write: Write<ConfigData, 'checkConfig'>): Promise<void> {
  const { draft, before, call } = write
  const { sealer } = call.context
  const given = parseConfig(write.body.config)
  if (typeof given === 'string') {
    write.fault('/config', given)
    return
  }
  const stored = before === null ? null : openConfig(before, write)
  const config = keepSecrets(given, stored, write.fault)
  if (before !== null && isSame(stored, config)) {
    draft.data.config = before.data.config
    return
  }
  draft.data.config = sealContent(config, sealer, recordOf(draft))
  for (const fault of await configFaults(call, config, draft.workspace_id ?? '')) {
    write.fault(fault.param, fault.message, fault.code)
  }
  const version = before === null ? 1 : latestVersion(before.data) + 1
  const id = timeOrderedId(call.nowMs)
  const content = sealContent({ config }, sealer, recordOf({ kind: kinds.configVersion, id }))
  write.also.push(versionWrite({ kind: kinds.configVersion, id, version, content }, draft, call))
  if (before !== null && write.body.publish === false) {
    draft.data.config = before.data.config
    draft.data.latest_version = version
    const { config: shown } = maskContent(content, sealer, recordOf({ kind: kinds.configVersion, id }))
    Object.assign(write.shown, { config: shown, version, version_id: id })
    return
  }
  if (before !== null && isRunning(before.data)) write.fault('/config', runningRule, 'conflict')
  Object.assign(draft.data, { config_version: version, version_id: id, latest_version: version })
}

/** The workspace stores `is_default`; both documents are written in one commit. */
async function takeDefault(write: Write<ConfigData>): Promise<void> {
  const { draft, body, call } = write
  const [wanted, ...others] = [body.is_default, body.isDefault].filter((flag) => flag !== undefined)
  if (wanted === undefined || draft.workspace_id === null) return
  const shallBe = Boolean(wanted)
  if (others.some((other) => Boolean(other) !== shallBe)) write.fault('/isDefault', 'must equal is_default')
  const workspace = await call.workspace(draft.workspace_id)
  if (isDefaultOf(workspace, draft) === shallBe) return
  if ((workspace.data as { source?: unknown }).source === 'file') {
    write.fault(
      '/is_default',
      'cannot be changed because the workspace is declared in the config file',
      'conflict',
    )
    return
  }
  const configId = shallBe ? draft.id : null
  write.also.push(defaultWrite(workspace, configId, call.nowMs))
  rememberDefault(draft.workspace_id, configId, call)
}

const withoutContent = ({ data }: StoredDocument<ConfigData>) => ({
  config: undefined,
  version: data.config_version,
  version_id: data.version_id,
})

/** The current content, or that of the version that the call specifies. */
async function askedContent(document: StoredDocument<ConfigData>, call: Call): Promise<JsonObject> {
  const { id, data } = document
  const { sealer } = call.context
  const wanted = askedVersion(call)
  if (wanted === null || wanted.version === data.config_version) {
    const config = maskContent(data.config, sealer, recordOf(document))
    return { config, version: data.config_version, version_id: data.version_id }
  }
  const found = await findVersion(call, {
    kind: kinds.configVersion,
    documentId: id,
    version: wanted.version,
  })
  if (found === null) throw notFound(wanted.param, 'version of this config')
  const { config } = maskContent(found.data.content, sealer, recordOf(found))
  return { config, version: wanted.version, version_id: found.id }
}
