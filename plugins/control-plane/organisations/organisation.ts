/** The organisation as a resource (management.md §5): its settings, its defaults, and how its users sign in. */

import { isObject, type JsonObject } from '@gateway/contract'
import {
  authSettings,
  kinds,
  type OrganisationData,
  organisationSettings,
  securityDefaults,
  settingDefaults,
  slugKey,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { enforceRotation } from '../api-keys/index.ts'
import { defineResource, type Write } from '../engine/index.ts'
import {
  authSettingsSchema,
  checkMetadataSchema,
  checkReferences,
  completeDefaults,
  defaultsSchema,
  readAllowedIps,
  settingsSchema,
} from '../shared/index.ts'
import { takeAuthSettings } from './check-auth-settings.ts'

const anyObject = Type.Object({}, { additionalProperties: true })

export const organisation = defineResource<OrganisationData, 'checkUrl' | 'isAddressRange'>({
  kind: kinds.organisation,
  object: 'organisation',
  title: 'organisation',
  tag: 'Organisations',
  operation: 'organisation',
  path: '/organisations',
  level: 'organisation',
  families: [{ family: 'organisation_settings' }],
  slug: { prefix: 'org-' },
  operations: [],
  fields: {
    settings: { schema: settingsSchema, isNullable: false, default: {}, merge: 'two', answer: anyObject },
    auth_settings: {
      schema: authSettingsSchema,
      isNullable: false,
      default: {},
      merge: 'two',
      answer: anyObject,
    },
    defaults: {
      schema: defaultsSchema,
      isNullable: false,
      default: {},
      merge: 'one',
      replaced: ['metadata'],
      answer: anyObject,
    },
    default_workspace_id: { schema: Type.String({ minLength: 1 }), isNullable: false, writable: 'update' },
  },
  hooks: {
    prepare,
    async after(write, stored) {
      if (write.isGiven('settings')) await enforceRotation(write.call.context, stored.id)
    },
    // Its slug is unique among all organisations.
    keys: ({ slug }) => (slug === null ? [] : [slugKey('organisations', slug)]),
    present: (document) => ({
      settings: organisationSettings(document.data),
      auth_settings: authSettings(document.data),
    }),
  },
})

async function prepare(write: Write<OrganisationData, 'checkUrl' | 'isAddressRange'>): Promise<void> {
  const { draft, call, fault } = write
  draft.data.settings = plainSettings({
    ...draft.data.settings,
    allowed_ips: readAllowedIps(call, draft.data.settings.allowed_ips, {
      param: '/settings/allowed_ips',
      fault,
    }),
  })
  draft.data.defaults = completeDefaults(draft.data.defaults)
  takeAuthSettings(write)
  if (write.isGiven('defaults'))
    await checkReferences(call, draft.data.defaults, { workspaceId: null, fault })
  const { metadata_schema: schemas } = draft.data.settings
  if (write.isGiven('settings') && isObject(schemas)) {
    for (const kind of ['api_key', 'workspace']) {
      checkMetadataSchema(call, schemas[kind], { param: `/settings/metadata_schema/${kind}`, fault })
    }
  }
  if (write.isGiven('default_workspace_id')) {
    const workspace = await call.workspace(draft.data.default_workspace_id, '/default_workspace_id')
    draft.data.default_workspace_id = workspace.id
  }
}

/** A setting that `null` returns to its default is not stored. */
const plainSettings = (settings: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))

const settingNames = new Set(Object.keys(settingDefaults))
const securityNames = new Set(Object.keys(securityDefaults))

/** Keys of `settings` and `security_settings` are accepted at the root of the body and moved to their place. */
export function liftSettings(body: JsonObject): JsonObject {
  const lifted: JsonObject = {}
  const settings: JsonObject = {}
  const security: JsonObject = {}
  for (const [name, value] of Object.entries(body)) {
    if (settingNames.has(name)) settings[name] = value
    else if (securityNames.has(name)) security[name] = value
    else lifted[name] = value
  }
  if (Object.keys(security).length > 0) {
    const own = isObject(settings.security_settings) ? settings.security_settings : {}
    settings.security_settings = { ...own, ...security }
  }
  if (Object.keys(settings).length === 0) return body
  if (lifted.settings !== undefined && !isObject(lifted.settings)) return body
  const given = isObject(lifted.settings) ? lifted.settings : {}
  const nested =
    isObject(given.security_settings) && isObject(settings.security_settings)
      ? { security_settings: { ...given.security_settings, ...settings.security_settings } }
      : {}
  return { ...lifted, settings: { ...given, ...settings, ...nested } }
}

/** Translates a path of the body that {@link liftSettings} created into a path of the body that was sent. */
export function sentPath(body: JsonObject, path: string): string {
  const [, security = '', name = '', rest = ''] =
    /^\/settings(\/security_settings)?\/([^/]+)(.*)$/.exec(path) ?? []
  if (settingNames.has(name) || securityNames.has(name)) {
    if (Object.hasOwn(body, name)) return `/${name}${rest}`
  }
  return security !== '' && Object.hasOwn(body, 'security_settings') ? path.slice('/settings'.length) : path
}
