/**
 * A model of Anthropic's prompt cache: it keeps the prefix before each mark, and reads the longest prefix that it has
 * at a mark or up to 20 blocks before it. It refuses the same requests as the vendor. Tokens are a quarter of the
 * characters.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { createHash } from 'node:crypto'

type Block = Record<string, unknown>

export interface CacheUse {
  /** Tokens of the whole prompt, and those of it that were read from and written to the cache. */
  prompt: number
  read: number
  written: number
  marks: number
}

const lookBack = 20
const mostMarks = 4

const blocks = (content: unknown): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Block[])

/** All blocks, in the order in which the vendor reads them. */
const allBlocks = (body: Block): Block[] => [
  ...((body.tools ?? []) as Block[]),
  ...blocks(body.system),
  ...((body.messages ?? []) as Block[]).flatMap((message) =>
    blocks(message.content).map((block) => ({ ...block, role: message.role })),
  ),
]

export function createAnthropicCache(minTokens: number) {
  const known = new Set<string>()

  /** Throws with the vendor's message for a request that it refuses. */
  return function use(body: Block): CacheUse {
    const prefix = createHash('sha256')
    const steps = allBlocks(body).map(({ cache_control: mark, ...block }) => {
      const text = JSON.stringify(block)
      if (mark !== undefined && (block.type === 'thinking' || block.text === ''))
        throw new Error('cache_control cannot be set for empty text blocks or thinking')
      prefix.update(text)
      return { isMarked: mark !== undefined, tokens: text.length / 4, id: prefix.copy().digest('hex') }
    })
    const marks = steps.filter(({ isMarked }) => isMarked).length
    if (marks > mostMarks)
      throw new Error(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
    let tokens = 0
    const ends = steps.map((step) => {
      tokens += step.tokens
      return { ...step, end: tokens }
    })
    const marked = ends.flatMap(({ isMarked, end }, index) => (isMarked && end >= minTokens ? [index] : []))
    const found = marked.flatMap((index) =>
      ends.slice(Math.max(0, index - lookBack), index + 1).filter(({ id }) => known.has(id)),
    )
    const read = Math.max(0, ...found.map(({ end }) => end))
    const written = Math.max(0, ...marked.map((index) => ends[index]?.end ?? 0)) - read
    for (const index of marked) known.add(ends[index]?.id ?? '')
    return {
      prompt: Math.round(tokens),
      read: Math.round(read),
      written: Math.max(0, Math.round(written)),
      marks,
    }
  }
}
