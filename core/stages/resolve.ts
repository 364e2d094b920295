/**
 * Selects the config that routes the request: its own (`x-gateway-config`), else the one in its model (`#SLUG`), else
 * the key's default, else the workspace's, else the config of the prompt that it runs. Without any of these, the
 * other headers or the model's `@slug/` specify the provider. Errors: `invalid_header`, `invalid_config` with every
 * broken path, 404 `unknown_config`, 400 `inline_…_blocked`.
 */
import { type Identity, parseJson, type StoredDocument } from '@gateway/contract'
import { joinMandatory, withMandatory } from '../config/index.ts'
import {
  type ConfigNode,
  type Exchange,
  type KeyDefaults,
  type MandatoryHooks,
  type Next,
  recordDecision,
  required,
  type Settings,
} from '../flow/index.ts'
import { type GatewayOptions, headerError, headerParam } from '../headers/index.ts'
import {
  chooseVersion,
  compileInline,
  describeRollout,
  findModelConfig,
  requireModels,
  savedId,
  unknownConfig,
} from '../routing/index.ts'
import { checkDataPlane } from '../tenancy/index.ts'

export async function resolve(exchange: Exchange, next: Next): Promise<void> {
  const { settings } = exchange
  const options = required(exchange.options, 'options')
  const terms = termsOf(exchange)
  if (settings.dataPlane !== null) checkDataPlane(settings.dataPlane, options)
  if (options.config !== null && !terms.allowsConfig)
    throw headerError(options, 'config', 'This key does not allow requests to set a config.')
  if (terms.metadata !== null) {
    exchange.options = { ...options, metadata: { ...options.metadata, ...terms.metadata } }
  }
  const { model } = exchange.body
  const isConfig = typeof model === 'string' && model.startsWith('#')
  const given = exchange.transport.origin?.config
  const found =
    given ??
    (isConfig && options.config === null
      ? await findByModel(settings, model.slice(1), terms)
      : await findConfig(settings, options, terms, exchange.prompt?.config ?? null))
  const node = found.rollout === null ? found : await chooseVersion(exchange, found, found.rollout)
  if (isConfig) requireModels(node)
  exchange.savedConfig = node.saved
  exchange.streamTotalMs = node.streamClocks?.totalMs ?? null
  // A config that comes with the request has the guardrails of its caller already.
  exchange.node = terms.mandatory === null || given !== undefined ? node : guarded(node, terms.mandatory)
  recordDecision(exchange, 'config', {
    source: sourceOf(options, isConfig, terms),
    ...(node.saved === null ? {} : { id: node.saved.slug, version: node.saved.version }),
    ...(found.rollout === null ? {} : { rollout: describeRollout(found, found.rollout) }),
  })
  // Only a prompt in the config could supply the missing members.
  if (exchange.bodyFault !== null && !node.hasPrompts) throw exchange.bodyFault
  await next(exchange)
}

/** The source of the config. */
function sourceOf({ config }: GatewayOptions, isModel: boolean, terms: Terms): string {
  if (config !== null) return 'header'
  if (isModel) return 'model'
  if (terms.keyConfigId !== null) return 'key'
  return terms.workspaceConfigId === null ? 'none' : 'workspace'
}

/** Rules of the key, the workspace and the organisation for a caller's requests, combined once per caller. */
interface Terms {
  keyConfigId: string | null
  isKeyConfigOptional: boolean
  workspaceConfigId: string | null
  allowsConfig: boolean
  /** Null when the key and the workspace add nothing. */
  metadata: Readonly<Record<string, string>> | null
  /** Mandatory guardrails; null when there are none. */
  mandatory: MandatoryHooks | null
}

const termsBySettings = new WeakMap<Settings, WeakMap<Identity | StoredDocument, Terms>>()

function termsOf({ identity, keyDocument, settings }: Exchange): Terms {
  const caller = required(identity, 'identity')
  const holder = keyDocument ?? caller
  let known = termsBySettings.get(settings)
  if (known === undefined) {
    known = new WeakMap()
    termsBySettings.set(settings, known)
  }
  const found = known.get(holder)
  if (found !== undefined) return found
  const { keyDefaults, workspaceDefaults } = settings.defaultsOf(caller, keyDocument)
  const made = joinTerms(settings.mandatory, keyDefaults, workspaceDefaults)
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

/** @param ofPrompt the default routing of the prompt */
async function findConfig(
  settings: Settings,
  options: GatewayOptions,
  terms: Terms,
  ofPrompt: string | null,
): Promise<ConfigNode> {
  const written = options.config ?? (await defaultConfig(settings, terms)) ?? ofPrompt
  if (written === null) return settings.noConfig
  const known = settings.configs.get(written)
  if (known !== undefined) return known
  if (!savedId.test(written)) return findInline(settings, options, written)
  const saved = await settings.findConfig(written)
  if (saved !== null) return saved
  // `null` and `true` look like an id, but are JSON.
  if (parseJson(written) !== undefined) return findInline(settings, options, written)
  throw await unknownConfig(settings, written, headerParam(options, 'config'))
}

async function findByModel(settings: Settings, name: string, terms: Terms): Promise<ConfigNode> {
  const mayChoose = terms.allowsConfig && settings.dataPlane?.allowsConfigOverride !== false
  return findModelConfig(settings, name, { mayChoose, defaultId: await defaultConfig(settings, terms) })
}

/** An optional config of the key that does not exist is replaced by the workspace's. */
async function defaultConfig(settings: Settings, terms: Terms): Promise<string | null> {
  const { keyConfigId, isKeyConfigOptional, workspaceConfigId } = terms
  const isMissing =
    isKeyConfigOptional && keyConfigId !== null && (await settings.findConfig(keyConfigId)) === null
  return (isMissing ? null : keyConfigId) ?? workspaceConfigId
}

function findInline(settings: Settings, options: GatewayOptions, written: string): ConfigNode {
  const inline = settings.inlineConfigs.get(written)
  if (inline !== undefined) return inline
  const compiled = compileInline(settings, options, written)
  settings.inlineConfigs.set(written, compiled)
  return compiled
}
