/**
 * Defaults of the organisation, the workspace and its keys: guardrails that no request can switch off, metadata, and
 * the config of requests without one (management contract, section 4).
 */

import { compileMandatory, joinMandatory, noMandatoryHooks } from '@gateway/config'
import {
  type Fault,
  faultsError,
  type Identity,
  isObject,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import type { Defaults, KeyTerms, OrganisationData, WorkspaceData } from '@gateway/domain'
import type { CompileContext, DataPlane, KeyDefaults, MandatoryHooks, Settings } from '@gateway/flow'
import { noDefaults } from '../identity/key-ring.ts'
import type { WorkspaceDocuments } from './read-documents.ts'

type DefaultsPart = Pick<Settings, 'mandatory' | 'defaultsOf' | 'dataPlane'>

export function storedDefaults(
  base: Settings,
  context: CompileContext,
  { workspaceId, workspace, organisation }: WorkspaceDocuments,
): DefaultsPart {
  const ofOrganisation = organisation?.data
  const ofWorkspace = workspace?.data
  const mandatory = joinMandatory(base.mandatory, organisationHooks(ofOrganisation, workspaceId, context))
  const stored = ofWorkspace === undefined ? null : toDefaults(ofWorkspace.defaults, 'workspace', context)
  const keys = new WeakMap<object, KeyDefaults>()
  const userConfig = ofWorkspace?.defaults.user_api_key_config ?? null
  return {
    mandatory,
    dataPlane: dataPlaneOf(organisation, workspace),
    defaultsOf({ identity, key }) {
      const declared = base.defaultsOf({ identity, key: null })
      return {
        keyDefaults:
          key === null ? declared.keyDefaults : forUser(identity, ofKey(key, context, keys), userConfig),
        workspaceDefaults: stored ?? declared.workspaceDefaults,
      }
    },
  }
}

/** User keys without a config use the workspace's default config for user keys. */
const forUser = ({ type }: Identity, defaults: KeyDefaults, configId: string | null): KeyDefaults =>
  type === 'workspace-user' && defaults.configId === null && configId !== null
    ? { ...defaults, configId }
    : defaults

/** Compiled once per version of a key's document. */
function ofKey(
  document: StoredDocument<KeyTerms>,
  context: CompileContext,
  keys: WeakMap<object, KeyDefaults>,
): KeyDefaults {
  const known = keys.get(document)
  if (known !== undefined) return known
  const defaults: Defaults | undefined = document.data.defaults
  const made = defaults === undefined ? noDefaults : toDefaults(defaults, 'key', context)
  keys.set(document, made)
  return made
}

function toDefaults(defaults: Defaults, owner: string, context: CompileContext): KeyDefaults {
  const faults: Fault[] = []
  const mandatory = compileMandatory(hooksOf(defaults), { param: `${owner}/defaults`, context, faults })
  // A missing guardrail is not skipped: the request fails with an error that names it.
  if (faults.length > 0) throw faultsError(faults)
  return {
    configId: defaults.config_id,
    metadata: defaults.metadata ?? {},
    ...('is_config_optional' in defaults ? { isConfigOptional: true } : {}),
    allowConfigOverride: defaults.allow_config_override,
    mandatory,
  }
}

const hooksOf = ({ input_guardrails, output_guardrails }: Defaults) => ({
  input_guardrails: input_guardrails ?? [],
  output_guardrails: output_guardrails ?? [],
})

/** Guardrails of a phase from which the workspace is excluded are left out. */
function organisationHooks(
  organisation: OrganisationData | undefined,
  workspaceId: string,
  context: CompileContext,
): MandatoryHooks {
  if (organisation === undefined) return noMandatoryHooks
  const { before, after } = toDefaults(organisation.defaults, 'organisation', context).mandatory
  const isExcluded = (list: readonly string[]) => list.includes(workspaceId)
  return {
    before: isExcluded(organisation.input_guardrail_exclusions) ? [] : before,
    after: isExcluded(organisation.output_guardrail_exclusions) ? [] : after,
  }
}

function dataPlaneOf(
  organisation: StoredDocument<OrganisationData> | null,
  workspace: StoredDocument<WorkspaceData> | null,
): DataPlane | null {
  const settings = [workspace, organisation].map((document) => securityOf(document))
  const say = (key: string) => settings.map((one) => one[key]).find((value) => typeof value === 'boolean')
  const allowsConfigOverride = say('allow_config_override') !== false
  const blocksInlineConfig = say('block_inline_config') === true
  return allowsConfigOverride && !blocksInlineConfig ? null : { allowsConfigOverride, blocksInlineConfig }
}

function securityOf(document: StoredDocument<Pick<OrganisationData, 'settings'>> | null): JsonObject {
  const settings = document?.data.settings
  return isObject(settings) && isObject(settings.security_settings) ? settings.security_settings : {}
}
