/**
 * Converts web citations to `annotations`: a text block is the passage that its citations support. Citations of
 * documents have no counterpart and stay in `content_blocks`.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
import type { Json, JsonObject } from '@gateway/contract'
import { urlCitation } from '../../chat/annotations.ts'
import { objectsOf, textOf } from '../../chat/values.ts'

/** The text of a block; empty for other blocks. */
export const textOfBlock = ({ type, text }: JsonObject): string => (type === 'text' ? textOf(text) : '')

/** The annotations of a block's citations, for a passage between these offsets (characters). */
function annotationsFor(citations: Json | undefined, start: number, end: number): JsonObject[] {
  return objectsOf(citations).flatMap(({ url, title }) =>
    typeof url === 'string' && url !== '' ? [urlCitation({ url, title: textOf(title), start, end })] : [],
  )
}

/** The annotations of an answer's blocks, with their offsets in the whole text. */
export function annotationsOf(blocks: readonly JsonObject[]): JsonObject[] {
  let end = 0
  return blocks.flatMap((block) => {
    const start = end
    end += textOfBlock(block).length
    return annotationsFor(block.citations, start, end)
  })
}

export interface StreamedCitations {
  /** Adds to a block's text. */
  text(block: Json | undefined, text: string): void
  /** Adds a citation to a block. */
  add(block: Json | undefined, citation: Json): void
  /** Ends the block and returns its annotations. */
  end(block: Json | undefined): JsonObject[]
}

/** The annotations of one stream. */
export function streamedCitations(): StreamedCitations {
  const open = new Map<Json | undefined, { start: number; citations: Json[] }>()
  let length = 0
  const blockOf = (block: Json | undefined) => {
    const known = open.get(block) ?? { start: length, citations: [] }
    open.set(block, known)
    return known
  }
  return {
    text(block, text) {
      blockOf(block)
      length += text.length
    },
    add: (block, citation) => void blockOf(block).citations.push(citation),
    end(block) {
      const known = open.get(block)
      open.delete(block)
      return known === undefined ? [] : annotationsFor(known.citations, known.start, length)
    },
  }
}
