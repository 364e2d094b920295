/** Loads the stored objects of one workspace and merges them over the file's configuration. */
import { createHash } from 'node:crypto'
import { compileConfig } from '@gateway/config'
import type { Fault, Ports, Sealer } from '@gateway/contract'
import type { CompileContext, ConfigNode, Settings } from '@gateway/flow'
import { LRUCache } from 'lru-cache'
import type { SecretValues } from '../secrets/secret-values.ts'
import { readDocuments, type WorkspaceDocuments } from './read-documents.ts'
import { createStoredConfigs } from './stored-configs.ts'
import { storedDefaults } from './stored-defaults.ts'
import { storedGuardrails } from './stored-guardrails.ts'
import { storedPluginSettings } from './stored-plugin-settings.ts'
import { type Credentials, compileCredentials } from './stored-targets.ts'

/** Determines the limits of a workspace. */
export type LimitsOf = (base: Settings, documents: WorkspaceDocuments) => Settings['limits']

export interface LoadOptions {
  ports: Ports
  sealer: Sealer
  secrets: SecretValues
  limitsOf: LimitsOf
  report(slug: string, reason: string): void
}

const maxInlineConfigs = 200
/** A compiled config takes many times the memory of its text. */
const maxInlineConfigChars = 1_000_000

/** Errors: `store_unavailable`. */
export async function loadWorkspace(
  workspaceId: string,
  base: Settings,
  given: LoadOptions,
): Promise<Settings> {
  const documents = await readDocuments(workspaceId, given.ports.documents)
  return isEmpty(documents)
    ? withConfigs(base, workspaceId, given)
    : mergeWorkspace(base, workspaceId, { documents, given })
}

const isEmpty = ({ workspace, organisation, ...lists }: WorkspaceDocuments) =>
  workspace === null &&
  organisation === null &&
  [lists.providers, lists.guardrails, lists.pluginSettings, lists.ratePolicies, lists.usagePolicies].every(
    ({ length }) => length === 0,
  )

/** Its saved configs are compiled on demand, one by one. */
function withConfigs(base: Settings, workspaceId: string, { ports, sealer }: LoadOptions): Settings {
  const settings: Settings = { ...base }
  return Object.assign(
    settings,
    createStoredConfigs(settings, workspaceId, { documents: ports.documents, sealer }),
  )
}

function mergeWorkspace(
  base: Settings,
  workspaceId: string,
  { documents, given }: { documents: WorkspaceDocuments; given: LoadOptions },
): Settings {
  const credentials = compileCredentials(base, documents, given)
  const guardrails = { ...base.context.guardrails, ...storedGuardrails(documents.guardrails, given) }
  const pluginSettings = {
    ...storedPluginSettings(documents.pluginSettings, given),
    ...base.context.pluginSettings,
  }
  const context: CompileContext = {
    ...base.context,
    credentials: credentials.settings,
    guardrails,
    pluginSettings,
    version: versionOf(pluginSettings, guardrails, credentials),
  }
  const settings: Settings = {
    ...base,
    context,
    storedTargets: credentials.targets,
    storedProviders: credentials.providers,
    noConfig: compileEmpty(context),
    inlineConfigs: new LRUCache({
      maxSize: maxInlineConfigChars,
      sizeCalculation: (_node, text) => Math.max(text.length, maxInlineConfigChars / maxInlineConfigs),
    }),
    ...storedDefaults(base, context, documents),
    limits: given.limitsOf(base, documents),
  }
  return Object.assign(
    settings,
    createStoredConfigs(settings, workspaceId, { documents: given.ports.documents, sealer: given.sealer }),
  )
}

/** Hash of the objects that configs refer to: part of the cache keys. */
function versionOf(
  pluginSettings: CompileContext['pluginSettings'],
  guardrails: CompileContext['guardrails'],
  { settings, providers }: Credentials,
): string {
  const used = [...providers.values()].map(({ slug, headers, models }) => [
    slug,
    headers,
    [...models.values()].map((model) => [model.slug, model.configurations]),
  ])
  const referred = JSON.stringify([guardrails, pluginSettings, [...settings], used])
  return createHash('sha256').update(referred).digest('base64url')
}

function compileEmpty(context: CompileContext): ConfigNode {
  const faults: Fault[] = []
  return compileConfig({}, context, { param: 'config', faults })
}
