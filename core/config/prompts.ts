/**
 * Trees in which a target runs a prompt (`prompt_id`). What reads or stores the request stands at the leaves there,
 * behind the rendering: hooks check the text that is sent, and a cache is keyed by it.
 */
import { createHash } from 'node:crypto'
import type { JsonObject } from '@gateway/contract'
import type { ConfigNode } from '../flow/config-node.ts'
import { moveStrategy } from './move-strategy.ts'
import type { Config } from './schema.ts'

/** Whether a leaf of this config runs a prompt. */
export function runsPrompts({ targets = [], prompt_id }: Config): boolean {
  return targets.length === 0 ? prompt_id !== undefined : targets.some(runsPrompts)
}

/** What stands above a node. */
interface Above {
  before: ConfigNode['before']
  cache: ConfigNode['cache']
  /** Of the node whose cache it is. */
  fingerprint: string
  overrides: readonly JsonObject[]
}

const nothingAbove: Above = { before: [], cache: null, fingerprint: '', overrides: [] }

/** The tree with hooks and caches at its leaves. */
export const withPrompts = (root: ConfigNode, config: Config): ConfigNode => ({
  ...moveDown(root, config, nothingAbove),
  hasPrompts: true,
})

function moveDown(node: ConfigNode, config: Config, above: Above): ConfigNode {
  const before = [...above.before, ...node.before]
  const cached = node.cache === null ? above : { cache: node.cache, fingerprint: node.fingerprint }
  const { cache, fingerprint } = cached
  if (node.targets.length === 0) {
    const isOwn = node.cache !== null || cache === null
    return {
      ...node,
      before,
      cache,
      fingerprint: isOwn ? node.fingerprint : leafFingerprint(fingerprint, node.path),
      prompt: { reference: config.prompt_id ?? null, overridesAbove: above.overrides },
    }
  }
  const overrides = node.overrideParams === null ? above.overrides : [...above.overrides, node.overrideParams]
  const below: Above = { before, cache, fingerprint, overrides }
  const targets = node.targets.map((target, index) => moveDown(target, config.targets?.[index] ?? {}, below))
  return {
    ...node,
    targets,
    strategy: node.strategy === null ? null : moveStrategy(node.strategy, node.targets, targets),
    before: [],
    after: [],
    cache: null,
  }
}

const leafFingerprint = (tree: string, path: string): string =>
  createHash('sha256').update(tree).update(path).digest('base64url')
