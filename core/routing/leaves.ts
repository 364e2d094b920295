/** The leaves of a config, in order. */
import type { ConfigNode } from '@gateway/flow'

export const leavesOf = (node: ConfigNode): ConfigNode[] =>
  node.targets.length === 0 ? [node] : node.targets.flatMap(leavesOf)
