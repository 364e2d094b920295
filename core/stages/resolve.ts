/**
 * Selects the config that routes the request: the one in its header (`x-gateway-config`), in its model (`#SLUG`), the
 * key's default, the workspace's default, or that of the prompt that it runs, in this order. Without any of them, the
 * other headers or the model's `@slug/` specify the provider. Chooses the version of a config during a rollout, and adds
 * the mandatory guardrails and metadata. Errors: 400 `invalid_header`, `no_model`, `inline_…_blocked`, and
 * `invalid_config` or the code of its first error for a config that does not compile; 404 `unknown_config`; 503
 * `store_unavailable` and `dependency_unavailable`.
 */

import { compileInline, joinMandatory, savedId, withMandatory } from '@gateway/config'
import { type Identity, parseJson, type StoredDocument } from '@gateway/contract'
import {
  andThen,
  type ConfigNode,
  elapsedMs,
  type GatewayOptions,
  headerError,
  headerParam,
  type KeyDefaults,
  type MandatoryHooks,
  type MaybePromise,
  type Next,
  nodePath,
  type Resolved,
  type Routed,
  recordDecision,
  resolved,
  type SavedConfig,
  type Workspace,
} from '@gateway/flow'
import {
  chooseVersion,
  describeRollout,
  findModelConfig,
  requireModels,
  unknownConfig,
} from '@gateway/routing'
import { checkDataPlane } from '../tenancy/index.ts'

export function resolve<Result>(exchange: Routed, next: Next<Resolved, Result>): MaybePromise<Result> {
  const { workspace } = exchange
  const options = exchange.options
  const terms = termsOf(exchange)
  if (workspace.dataPlane !== null) checkDataPlane(workspace.dataPlane, options)
  if (options.config !== null && !terms.allowsConfig)
    throw headerError(options, 'config', 'This key does not allow requests to set a config.')
  if (terms.metadata !== null) {
    exchange.options = { ...options, metadata: { ...options.metadata, ...terms.metadata } }
  }
  const { model } = exchange.input.body
  const isConfig = typeof model === 'string' && model.startsWith('#')
  const found =
    exchange.transport.origin?.config ??
    (isConfig && options.config === null
      ? findByModel(workspace, model.slice(1), terms)
      : findConfig(exchange, options, terms))
  return andThen(found, (config) => {
    const node = config.rollout === null ? config : chooseVersion(exchange, config, config.rollout)
    return andThen(node, (chosen) => {
      if (isConfig) requireModels(chosen)
      const known = resolved(exchange, chosen, guardedFor(exchange, chosen, terms))
      recordDecision(known, {
        step: 'config',
        path: nodePath(known),
        at_ms: elapsedMs(known),
        source: sourceOf(options, { isModel: isConfig, terms, saved: chosen.saved }),
        id: chosen.saved?.slug,
        version: chosen.saved?.version,
        rollout: config.rollout === null ? undefined : describeRollout(config, config.rollout),
      })
      return next(known)
    })
  })
}

/** The config with the mandatory guardrails. */
function guardedFor({ transport }: Routed, node: ConfigNode, { mandatory }: Terms): ConfigNode {
  // Only shadows bring a config, which has the mandatory guardrails of its caller already.
  const isGuarded = mandatory === null || transport.origin?.config !== undefined
  return isGuarded ? node : guarded(node, mandatory)
}

interface Chosen {
  isModel: boolean
  terms: Terms
  saved: SavedConfig | null
}

/** Where the config was named, for the decision trace; `none` also for the config of a prompt. */
function sourceOf({ config }: GatewayOptions, { isModel, terms, saved }: Chosen): string {
  if (config !== null) return 'header'
  if (isModel) return 'model'
  const { keyConfigId, isKeyConfigOptional, workspaceConfigId } = terms
  // An optional one may have been replaced.
  const isKeys = !isKeyConfigOptional || saved?.slug === keyConfigId || saved?.id === keyConfigId
  if (keyConfigId !== null && isKeys) return 'key'
  return workspaceConfigId === null ? 'none' : 'workspace'
}

/** Rules of the key, the workspace and the organisation for a caller's requests, combined once per caller. */
interface Terms {
  keyConfigId: string | null
  isKeyConfigOptional: boolean
  workspaceConfigId: string | null
  allowsConfig: boolean
  /** Replaces members of the request's metadata; the workspace's take precedence over the key's. Null for none. */
  metadata: Readonly<Record<string, string>> | null
  /** Mandatory guardrails, or null. */
  mandatory: MandatoryHooks | null
}

const termsBySettings = new WeakMap<Workspace, WeakMap<Identity | StoredDocument, Terms>>()

function termsOf({ caller, workspace }: Routed): Terms {
  const holder = caller.key ?? caller.identity
  let known = termsBySettings.get(workspace)
  if (known === undefined) {
    known = new WeakMap()
    termsBySettings.set(workspace, known)
  }
  const found = known.get(holder)
  if (found !== undefined) return found
  const { keyDefaults, workspaceDefaults } = workspace.defaultsOf(caller)
  const made = joinTerms(workspace.mandatory, keyDefaults, workspaceDefaults)
  known.set(holder, made)
  return made
}

function joinTerms(mandatory: MandatoryHooks, ofKey: KeyDefaults, ofWorkspace: KeyDefaults): Terms {
  const metadata = { ...ofKey.metadata, ...ofWorkspace.metadata }
  const hooks = joinMandatory(mandatory, ofWorkspace.mandatory, ofKey.mandatory)
  return {
    keyConfigId: ofKey.configId,
    isKeyConfigOptional: ofKey.isConfigOptional === true,
    workspaceConfigId: ofWorkspace.configId,
    allowsConfig: ofKey.allowConfigOverride && ofWorkspace.allowConfigOverride,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    mandatory: hooks.before.length + hooks.after.length === 0 ? null : hooks,
  }
}

/** Configs with mandatory guardrails, created once per set of guardrails. */
const guardedConfigs = new WeakMap<ConfigNode, WeakMap<MandatoryHooks, ConfigNode>>()

function guarded(node: ConfigNode, hooks: MandatoryHooks): ConfigNode {
  const ofNode = guardedConfigs.get(node) ?? new WeakMap<MandatoryHooks, ConfigNode>()
  guardedConfigs.set(node, ofNode)
  const made = ofNode.get(hooks) ?? withMandatory(node, hooks)
  ofNode.set(hooks, made)
  return made
}

function findConfig(
  { workspace: settings, input: { prompt } }: Routed,
  options: GatewayOptions,
  terms: Terms,
): MaybePromise<ConfigNode> {
  return andThen(options.config ?? defaultConfig(settings, terms), (named) => {
    const written = named ?? prompt?.config ?? null
    if (written === null) return settings.noConfig
    const known = settings.configs.get(written)
    if (known !== undefined) return known
    if (!savedId.test(written)) return findInline(settings, options, written)
    return findSaved(settings, options, written)
  })
}

async function findSaved(settings: Workspace, options: GatewayOptions, written: string): Promise<ConfigNode> {
  const saved = await settings.findConfig(written)
  if (saved !== null) return saved
  // `null` and `true` look like an id, but are JSON.
  if (parseJson(written) !== undefined) return findInline(settings, options, written)
  throw await unknownConfig(settings, written, headerParam(options, 'config'))
}

async function findByModel(settings: Workspace, name: string, terms: Terms): Promise<ConfigNode> {
  const mayChoose = terms.allowsConfig && settings.dataPlane?.allowsConfigOverride !== false
  return findModelConfig(settings, name, { mayChoose, defaultId: await defaultConfig(settings, terms) })
}

/** An optional config of the key that does not exist is replaced by the workspace's. */
function defaultConfig(settings: Workspace, terms: Terms): MaybePromise<string | null> {
  const { keyConfigId, isKeyConfigOptional, workspaceConfigId } = terms
  if (keyConfigId === null) return workspaceConfigId
  if (!isKeyConfigOptional || settings.configs.has(keyConfigId)) return keyConfigId
  return settings.findConfig(keyConfigId).then((found) => (found === null ? workspaceConfigId : keyConfigId))
}

function findInline(settings: Workspace, options: GatewayOptions, written: string): ConfigNode {
  const inline = settings.inlineConfigs.get(written)
  if (inline !== undefined) return inline
  const compiled = compileInline(settings, options, written)
  settings.inlineConfigs.set(written, compiled)
  return compiled
}
