/**
 * Trees in which a target runs a prompt (`prompt_id`). Hooks, caches and shadows move to the leaves, after rendering:
 * hooks check the rendered text, and the cache is keyed by it.
 */
import { createHash } from 'node:crypto'
import type { Config } from '@gateway/config-file'
import type { JsonObject } from '@gateway/contract'
import type { ConfigNode } from '@gateway/flow'
import { moveStrategy } from './move-strategy.ts'

/** Whether a leaf of this config runs a prompt. */
export function runsPrompts({ targets = [], prompt_id }: Config): boolean {
  return targets.length === 0 ? prompt_id !== undefined : targets.some(runsPrompts)
}

/** Settings that a node inherits. */
interface Above {
  before: ConfigNode['before']
  cache: ConfigNode['cache']
  /** The node that the cache belongs to. */
  fingerprint: string
  callFingerprint: string
  shadow: ConfigNode['shadow']
  overrides: readonly JsonObject[]
}

const nothingAbove: Above = {
  before: [],
  cache: null,
  fingerprint: '',
  callFingerprint: '',
  shadow: null,
  overrides: [],
}

/** The tree with hooks and caches moved to its leaves. */
export const withPrompts = (root: ConfigNode, config: Config): ConfigNode => ({
  ...moveDown(root, config, nothingAbove),
  hasPrompts: true,
})

function moveDown(node: ConfigNode, config: Config, above: Above): ConfigNode {
  const before = [...above.before, ...node.before]
  const { cache, fingerprint, callFingerprint } = node.cache === null ? above : node
  const shadow = node.shadow ?? above.shadow
  if (node.targets.length === 0) {
    const isOwn = node.cache !== null || cache === null
    return {
      ...node,
      before,
      cache,
      shadow,
      fingerprint: isOwn ? node.fingerprint : leafFingerprint(fingerprint, node.path),
      callFingerprint: isOwn ? node.callFingerprint : callFingerprint,
      prompt: { reference: config.prompt_id ?? null, overridesAbove: above.overrides },
    }
  }
  const overrides = node.overrideParams === null ? above.overrides : [...above.overrides, node.overrideParams]
  const below: Above = { before, cache, fingerprint, callFingerprint, shadow, overrides }
  const targets = node.targets.map((target, index) => moveDown(target, config.targets?.[index] ?? {}, below))
  return {
    ...node,
    targets,
    strategy: node.strategy === null ? null : moveStrategy(node.strategy, node.targets, targets),
    before: [],
    after: [],
    cache: null,
    shadow: null,
  }
}

const leafFingerprint = (tree: string, path: string): string =>
  createHash('sha256').update(tree).update(path).digest('base64url')
