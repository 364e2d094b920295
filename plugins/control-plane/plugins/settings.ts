/**
 * An organisation's settings of a plugin: plain and encrypted members, merged with the body. A mask in the body keeps
 * the stored secret, provided that the write does not change where the plugin's calls go.
 */
import {
  type Fault,
  isObject,
  type JsonObject,
  type PluginSummary,
  type StoredDocument,
} from '@gateway/contract'
import { addressesIn, derivedId, kinds, type PluginSettingsData, splitSecrets } from '@gateway/domain'
import { type Call, openSecrets, sealTogether } from '../engine/index.ts'
import { isKeptElsewhere, isMoved, keptSecrets, mergeMembers, strayMasks } from '../shared/index.ts'

export type SettingsDocument = StoredDocument<PluginSettingsData>

/** One document for each organisation and plugin. */
const settingsId = (organisationId: string, plugin: string): string =>
  derivedId(`plugin settings: ${organisationId}/${plugin}`)

export const findSettings = (call: Call, plugin: string): Promise<SettingsDocument | null> =>
  call.documents.get(kinds.pluginSettings, settingsId(call.organisationId, plugin))

/** The settings, masked as in answers. */
export const shownSettings = (document: SettingsDocument | null): JsonObject =>
  document === null ? {} : { ...document.data.settings, ...document.data.masked_settings }

const root = '/settings'

/** The complete settings after a write, and their errors. Null clears them. */
export function mergeSettings(
  call: Call<'checkUrl'>,
  plugin: PluginSummary,
  { before, given }: { before: SettingsDocument | null; given: JsonObject | null },
): { settings: JsonObject; faults: Fault[] } {
  const stored: JsonObject =
    before === null ? {} : { ...before.data.settings, ...openSecrets(before, call.context.sealer) }
  if (given === null) return { settings: {}, faults: [] }
  const settings = mergeMembers(stored, withInner(stored, given))
  const fault = (param: string, message: string, code: Fault['code'] = 'invalid_body'): Fault => ({
    param,
    code,
    message,
  })
  const write = { stored, given, merged: settings, param: root }
  const kept = isMoved(write) ? keptSecrets(write) : []
  const wrong = schemaFaults(call, plugin, settings)
  const faults = [
    ...kept.map((param) => fault(param, isKeptElsewhere)),
    ...strayMasks(settings, root).map((param) => fault(param, 'is a masked value: send the secret itself')),
    ...wrong,
    ...addressesIn(settings, root).flatMap(({ param, url }) => {
      const reason = call.context.checkUrl(url)
      return reason === null ? [] : [fault(param, reason, 'host_not_allowed')]
    }),
    // The members that are addresses are known only if the settings are valid.
    ...(wrong.length > 0
      ? []
      : plugin.faultsOf(settings).map((each) => ({ ...each, param: root + each.param }))),
  ]
  return { settings, faults }
}

/** Objects inside the settings are merged like the settings themselves. */
function withInner(stored: JsonObject, given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const before = Object.hasOwn(stored, name) ? stored[name] : undefined
      return [name, isObject(value) && isObject(before) ? mergeMembers(before, value) : (value ?? null)]
    }),
  )
}

function schemaFaults({ context }: Call, { settings: schema }: PluginSummary, settings: JsonObject): Fault[] {
  if (schema !== null) return [...context.validator(schema, 'invalid_body', root)(settings)]
  if (Object.keys(settings).length === 0) return []
  return [{ param: root, code: 'invalid_body', message: 'must be empty: this plugin has no settings' }]
}

/** The document of the settings, with secrets encrypted. */
export function settingsDocument(
  call: Call,
  { name, title }: PluginSummary,
  { before, settings }: { before: SettingsDocument | null; settings: JsonObject },
): Omit<SettingsDocument, 'version'> {
  const { open, secret, masked } = splitSecrets(settings)
  const place = { kind: kinds.pluginSettings, id: settingsId(call.organisationId, name) }
  return {
    ...place,
    organisation_id: call.organisationId,
    workspace_id: null,
    slug: name,
    name: title,
    status: 'active',
    created_at: before?.created_at ?? call.nowMs,
    last_updated_at: call.nowMs,
    keys: [],
    attributes: {},
    data: {
      plugin: name,
      settings: open,
      masked_settings: masked,
      sealed: sealTogether(secret, place, call.context.sealer),
    },
  }
}
