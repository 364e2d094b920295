/**
 * Finds the words of a long list in texts: an automaton scans a text once, for any number of words (Aho and Corasick,
 * https://doi.org/10.1145/360825.360855).
 */

/** The position of a word: the text, and the offset in UTF-16 units. */
export interface Spot {
  text: number
  start: number
}

/**
 * Returns the first position of each word, or null. If one word suffices, the search ends with the first match, and
 * words not searched until then are undefined.
 */
export type WordFinder = (texts: readonly string[], isOneEnough: boolean) => (Spot | null | undefined)[]

/** The most entries of a transition table, of four bytes each. */
const maxTableEntries = 262_144

/** Words as a tree of letters. Node 0 is the root. */
interface Tree {
  /** Child of a node by letter: the key is `node * 65536 + code`. */
  children: Map<number, number>
  /** The words that end at a node. */
  ends: number[][]
  /** The node of the longest prefix of another word that ends here. */
  fallback: Int32Array
  /** Parents before children. */
  order: { node: number; parent: number; code: number }[]
}

export function createAutomaton(words: readonly string[]): WordFinder {
  const tree = growTree(words)
  const step = createStep(tree)
  const { ends, fallback } = tree
  /** Whether a word ends at a node, or at one of its fallbacks. */
  const isEnd = new Uint8Array(ends.length)
  for (const { node } of tree.order)
    isEnd[node] = (ends[node] ?? []).length > 0 || isEnd[fallback[node] ?? 0] === 1 ? 1 : 0
  return (texts, isOneEnough) => {
    const spots: (Spot | undefined)[] = words.map(() => undefined)
    const seen = new Set<number>()
    for (const [number, text] of texts.entries()) {
      let node = 0
      for (let offset = 0; offset < text.length; offset += 1) {
        node = step(node, text.charCodeAt(offset))
        if (isEnd[node] === 0 || seen.has(node)) continue
        seen.add(node)
        for (let at = node; at !== 0; at = fallback[at] ?? 0)
          for (const word of ends[at] ?? [])
            spots[word] ??= { text: number, start: offset + 1 - (words[word]?.length ?? 0) }
        if (isOneEnough) return spots
      }
    }
    return spots.map((spot) => spot ?? null)
  }
}

function growTree(words: readonly string[]): Tree {
  const children = new Map<number, number>()
  const ends: number[][] = [[]]
  const edges: Tree['order'] = []
  for (const [number, word] of words.entries()) {
    let parent = 0
    for (let offset = 0; offset < word.length; offset += 1) {
      const code = word.charCodeAt(offset)
      const known = children.get(parent * 65_536 + code)
      const node = known ?? ends.push([]) - 1
      if (known === undefined) {
        children.set(parent * 65_536 + code, node)
        edges.push({ node, parent, code })
      }
      parent = node
    }
    ends[parent]?.push(number)
  }
  return withFallbacks({ children, ends, order: byDepth(edges, ends.length) })
}

function byDepth(edges: Tree['order'], nodes: number): Tree['order'] {
  const depth = new Int32Array(nodes)
  for (const { node, parent } of edges) depth[node] = (depth[parent] ?? 0) + 1
  return edges.toSorted((left, right) => (depth[left.node] ?? 0) - (depth[right.node] ?? 0))
}

function withFallbacks(tree: Omit<Tree, 'fallback'>): Tree {
  const whole = { ...tree, fallback: new Int32Array(tree.ends.length) }
  for (const { node, parent, code } of tree.order)
    whole.fallback[node] = parent === 0 ? 0 : follow(whole, whole.fallback[parent] ?? 0, code)
  return whole
}

/** The next node for a letter, falling back to the longest prefix that continues with it. */
function follow({ children, fallback }: Tree, from: number, code: number): number {
  for (let node = from; ; node = fallback[node] ?? 0) {
    const child = children.get(node * 65_536 + code)
    if (child !== undefined) return child
    if (node === 0) return 0
  }
}

/** {@link follow}, with a table if that is small. */
function createStep(tree: Tree): (node: number, code: number) => number {
  const columns = new Map<number, number>()
  for (const { code } of tree.order) if (!columns.has(code)) columns.set(code, columns.size)
  const width = columns.size
  if (width * tree.ends.length > maxTableEntries) return (node, code) => follow(tree, node, code)
  const table = new Int32Array(width * tree.ends.length)
  const fill = (node: number) => {
    for (const [code, column] of columns) table[node * width + column] = follow(tree, node, code)
  }
  fill(0)
  for (const { node } of tree.order) fill(node)
  const ascii = new Int32Array(128).fill(-1)
  for (const [code, column] of columns) if (code < 128) ascii[code] = column
  return (node, code) => {
    const column = code < 128 ? (ascii[code] ?? -1) : (columns.get(code) ?? -1)
    return column < 0 ? 0 : (table[node * width + column] ?? 0)
  }
}
