/** The leaves of a config, in order. */
import type { ConfigNode } from '@gateway/flow'

export const leavesOf = (node: ConfigNode): ConfigNode[] =>
  node.targets.length === 0 ? [node] : node.targets.flatMap(leavesOf)

/** Whether a leaf takes its provider from the request. */
export const takesProvider = (leaf: ConfigNode): boolean => leaf.target === null
