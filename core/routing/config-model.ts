/**
 * A saved config as the model: clients that can send neither headers nor metadata write `#SLUG` (or `#SLUG@N`, a
 * version).
 * Errors: 404 `unknown_config`, 400 `invalid_header` when the key does not allow configs from requests, 400
 * `no_model`.
 */
import { GatewayError } from '@gateway/contract'
import type { ConfigNode, Workspace } from '@gateway/flow'
import { unknownConfig } from './unknown-config.ts'

const maxChars = 300

export interface ModelConfigRules {
  /** Whether the caller may use any saved config. */
  mayChoose: boolean
  /** The caller's default config, which is always allowed. */
  defaultId: string | null
}

/** Finds the config that a model name refers to. */
export async function findModelConfig(
  settings: Pick<Workspace, 'findConfig' | 'listConfigs'>,
  name: string,
  { mayChoose, defaultId }: ModelConfigRules,
): Promise<ConfigNode> {
  const { findConfig } = settings
  const byDefault = mayChoose || defaultId === null ? null : await findConfig(defaultId)
  const isDefault = byDefault?.saved?.slug === name || byDefault?.saved?.id === name
  const param = '/model'
  if (!mayChoose && !isDefault)
    throw new GatewayError('invalid_header', 'This key does not allow requests to set a config.', { param })
  const node = name.length > maxChars ? null : await findConfig(name)
  if (node !== null) return node
  throw await unknownConfig(settings, name, param)
}

/**
 * Every target must set a model, because `#SLUG` is never sent to a provider. Errors: `no_model`, which names the
 * first target without a model.
 */
export function requireModels(node: ConfigNode): void {
  const lacking = targetWithoutModel(node)
  if (lacking === null) return
  throw new GatewayError(
    'no_model',
    `The model refers to a config, but its target ${lacking.path} has no model: set override_params.model there.`,
    { param: '/model' },
  )
}

/** The first target without a model; null if all have one. */
export function targetWithoutModel(node: ConfigNode, isSetAbove = false): ConfigNode | null {
  const isSet = isSetAbove || typeof node.overrideParams?.model === 'string'
  if (node.targets.length === 0) return isSet ? null : node
  for (const target of node.targets) {
    const lacking = targetWithoutModel(target, isSet)
    if (lacking !== null) return lacking
  }
  return null
}
