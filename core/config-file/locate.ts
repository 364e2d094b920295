/** Maps JSON paths to lines: finds the node of a path in a YAML document, through aliases and merge keys. */
import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml'
import type { Locate, Position } from './fault.ts'

/** The node that an alias refers to; undefined for an unknown anchor. */
export function resolveAlias(document: Document, node: unknown): Node | null | undefined {
  let current = node
  // An alias cannot refer to another alias, but a bound costs nothing.
  for (let depth = 0; depth < 10 && isAlias(current); depth++) current = current.resolve(document)
  return isAlias(current) ? undefined : (current as Node | null | undefined)
}

/** Maps are read often and merge keys repeat their sources, so each is indexed once. */
const layouts = new WeakMap<Node, Map<string, Pair>>()

/** The pairs of a map by key, including those of merge keys (`<<`), which its own keys override. */
export function pairsOf(document: Document, node: Node): Map<string, Pair> {
  const known = layouts.get(node)
  if (known !== undefined) return known
  const pairs = new Map<string, Pair>()
  // Set before it is filled: otherwise a map that merges itself would not terminate.
  layouts.set(node, pairs)
  if (!isMap(node)) return pairs
  for (const pair of node.items) {
    const sources = keyOf(pair) === '<<' ? mergeSources(document, pair.value) : []
    if (sources.length === 0) pairs.set(keyOf(pair), pair)
    for (const source of sources) {
      for (const [key, inherited] of pairsOf(document, source)) {
        // Earlier sources of a list win over later ones, and own keys over all of them.
        if (!pairs.has(key)) pairs.set(key, inherited)
      }
    }
  }
  return pairs
}

function mergeSources(document: Document, value: unknown): Node[] {
  const target = resolveAlias(document, value)
  const sources = isSeq(target) ? target.items.map((item) => resolveAlias(document, item)) : [target]
  return sources.filter((source): source is Node => isMap(source))
}

const keyOf = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key))

interface Step {
  /** The value at the path; undefined for a key without a value. */
  node: Node | null | undefined
  /** The key or the list item at the path. */
  mark: Node | undefined
}

/** Descends one key or index; null when it does not exist. */
function stepInto(document: Document, node: Node | null | undefined, name: string): Step | null {
  if (isSeq(node)) {
    const item = /^\d+$/.test(name) ? node.items[Number(name)] : undefined
    return item === undefined ? null : { node: resolveAlias(document, item), mark: item as Node }
  }
  if (node === null || node === undefined) return null
  const pair = pairsOf(document, node).get(name)
  if (pair === undefined) return null
  return { node: resolveAlias(document, pair.value), mark: pair.key as Node }
}

/** The names in a JSON path: `/a~1b/0` yields `a/b` and `0`. */
export function pathNames(param: string): string[] {
  if (param === '') return []
  return param
    .replace(/^\//, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The node at a JSON path; undefined when the document has none. */
export function nodeAt(document: Document, param: string): Node | null | undefined {
  let node = resolveAlias(document, document.contents)
  for (const name of pathNames(param)) {
    const step = stepInto(document, node, name)
    if (step === null) return undefined
    node = step.node
  }
  return node
}

/** Returns a function from a path to its line and column. */
export function createLocator(document: Document, lines: LineCounter): Locate {
  const position = (node: Node | undefined): Position => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  return (param, key) => {
    const root = document.contents ?? undefined
    let step: Step = { node: resolveAlias(document, root), mark: root }
    for (const name of pathNames(param)) {
      const next = stepInto(document, step.node, name)
      if (next === null) return position(step.mark)
      step = next
    }
    if (key !== undefined) {
      const child = stepInto(document, step.node, key)
      if (child !== null) return position(child.mark)
    }
    return position(isScalar(step.node) ? step.node : step.mark)
  }
}
