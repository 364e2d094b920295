/**
 * Which config routes the request: its own (`x-gateway-config`), else the one that its model names (`#SLUG`), else the key's
 * default, else the workspace's,
 * else none: then the other headers or the model's `@slug/` name the provider.
 * Errors: `invalid_header`, `invalid_config` with every broken path, 404 `unknown_config`.
 */

import { type Fault, faultsError, GatewayError, type Identity, isObject } from '@gateway/contract'
import { compileConfig } from '../config/compile.ts'
import { slugPattern } from '../config/file/schema-limits.ts'
import { joinMandatory, withMandatory } from '../config/mandatory.ts'
import type { Config } from '../config/schema.ts'
import type { ConfigNode } from '../flow/config-node.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { MandatoryHooks } from '../flow/hook-result.ts'
import type { Settings } from '../flow/settings.ts'
import { type GatewayOptions, headerError, headerParam } from '../headers/request-headers.ts'
import { parseJson } from '../shared/json.ts'
import { isDeeperThan, toFaults } from '../shared/validate.ts'
import { checkDataPlane } from '../tenancy/workspaces/data-plane.ts'
import { configOfModel, findModelConfig, modelConfigRefused, requireModels } from './config-model.ts'

const maxDepth = 50
const savedId = new RegExp(slugPattern)

/** Writes the config node that routes the request. */
export async function resolveConfig(exchange: Exchange): Promise<void> {
  const identity = required(exchange.identity, 'identity')
  const options = required(exchange.options, 'options')
  const { settings } = exchange
  const { keyDefaults, workspaceDefaults } = settings.defaultsOf(identity, exchange.keyDocument)
  checkDataPlane(settings.dataPlane, options)
  const allowsConfig = keyDefaults.allowConfigOverride && workspaceDefaults.allowConfigOverride
  if (options.config !== null && !allowsConfig) {
    throw headerError(options, 'config', 'This key does not allow a config of the request.')
  }
  if (hasMembers(keyDefaults.metadata) || hasMembers(workspaceDefaults.metadata)) {
    exchange.options = {
      ...options,
      metadata: { ...options.metadata, ...keyDefaults.metadata, ...workspaceDefaults.metadata },
    }
  }
  const mandatory = [settings.mandatory, workspaceDefaults.mandatory, keyDefaults.mandatory] as const
  const keyConfig =
    keyDefaults.isConfigOptional === true
      ? await existing(settings, keyDefaults.configId)
      : keyDefaults.configId
  const defaultId = keyConfig ?? workspaceDefaults.configId
  const modelConfig = configOfModel(exchange)
  const node =
    modelConfig === null || options.config !== null
      ? await findConfig(settings, options, defaultId)
      : await findByModel(exchange, modelConfig, defaultId, allowsConfig)
  if (modelConfig !== null) requireModels(node)
  exchange.savedConfig = node.saved
  exchange.streamTotalMs = node.streamClocks?.totalMs ?? null
  exchange.node = mandatory.every(isEmpty) ? node : guarded(node, mandatory, identity)
}

/** The config that the model names; a key that allows no config of the request may still name its default. */
async function findByModel(
  exchange: Exchange,
  name: string,
  defaultId: string | null,
  allowsConfig: boolean,
): Promise<ConfigNode> {
  const { settings } = exchange
  const mayChoose = allowsConfig && settings.dataPlane.allowsConfigOverride
  const byDefault = mayChoose || defaultId === null ? null : await settings.findConfig(defaultId)
  const isDefault = byDefault?.saved?.slug === name || byDefault?.saved?.id === name
  if (!mayChoose && !isDefault) throw modelConfigRefused()
  return findModelConfig(exchange, name)
}

function hasMembers(object: object): boolean {
  for (const _ in object) return true
  return false
}

const isEmpty = ({ before, after }: MandatoryHooks) => before.length === 0 && after.length === 0

interface Guarded {
  node: ConfigNode
  /** What it was made with: other defaults of the organisation, the workspace or the key make it anew. */
  hooks: readonly MandatoryHooks[]
}

/** Configs with the mandatory guardrails of a key, made once for each key that uses them. */
const guardedConfigs = new WeakMap<ConfigNode, WeakMap<Identity, Guarded>>()

function guarded(
  node: ConfigNode,
  hooks: readonly [MandatoryHooks, MandatoryHooks, MandatoryHooks],
  identity: Identity,
): ConfigNode {
  const ofNode = guardedConfigs.get(node) ?? new WeakMap<Identity, Guarded>()
  guardedConfigs.set(node, ofNode)
  const known = ofNode.get(identity)
  if (known?.hooks.every((each, index) => each === hooks[index])) return known.node
  const made = withMandatory(node, joinMandatory(...hooks))
  ofNode.set(identity, { node: made, hooks })
  return made
}

/** The id, when there is such a config. */
async function existing(settings: Settings, id: string | null): Promise<string | null> {
  return id === null || (await settings.findConfig(id)) === null ? null : id
}

async function findConfig(
  settings: Settings,
  options: GatewayOptions,
  defaultId: string | null,
): Promise<ConfigNode> {
  const written = options.config ?? defaultId
  if (written === null) return settings.noConfig
  const known = settings.configs.get(written)
  if (known !== undefined) return known
  if (!savedId.test(written)) return findInline(settings, options, written)
  return (await settings.findConfig(written)) ?? findInline(settings, options, written)
}

function findInline(settings: Settings, options: GatewayOptions, written: string): ConfigNode {
  const inline = settings.inlineConfigs.get(written)
  if (inline !== undefined) return inline
  const compiled = compileInline(settings, options, written)
  settings.inlineConfigs.set(written, compiled)
  return compiled
}

/** Compiles a config that a request brings. Errors: `invalid_header`, `invalid_config`, `unknown_config`. */
export function compileInline(
  settings: Pick<Settings, 'context' | 'validateConfig'>,
  options: Pick<GatewayOptions, 'prefix'>,
  text: string,
): ConfigNode {
  const config = parseJson(text)
  if (!isObject(config)) {
    // What is no id may be anything, a credential too: it is not repeated.
    if (config !== undefined || !savedId.test(text))
      throw headerError(options, 'config', 'must be the id of a saved config, or a JSON object')
    const param = headerParam(options, 'config')
    throw new GatewayError('unknown_config', `There is no config "${text.slice(0, 100)}".`, { param })
  }
  if (isDeeperThan(config, maxDepth)) throw headerError(options, 'config', 'is nested too deep')
  const errors = settings.validateConfig(config, text.length)
  const where = `${options.prefix}config`
  if (errors !== null) throw faultsError(toFaults(errors, 'invalid_config', 'config'), where)
  const faults: Fault[] = []
  // The schema that was just passed is the source of the type.
  const node = compileConfig(config as Config, settings.context, 'config', faults)
  if (faults.length > 0) throw faultsError(faults, where)
  return node
}
