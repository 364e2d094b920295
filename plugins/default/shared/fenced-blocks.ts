/**
 * The fenced code blocks of a Markdown text: three or more backticks or tildes, wherever a line begins with them
 * (blocks in lists are indented). Reference: https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */

export interface FencedBlock {
  /** The first word behind the opening fence, in lower case: the language's name. Empty when there is none. */
  label: string
  text: string
  /** Where the block begins in the text, in UTF-16 units. */
  start: number
  /** False when the text ends before the block does. */
  isClosed: boolean
}

/** More blocks than this are not looked at. */
const maxBlocks = 100

/** Lists the blocks of a text, in their order. */
export function fencedBlocks(text: string): FencedBlock[] {
  if (!text.includes('```') && !text.includes('~~~')) return []
  const blocks: FencedBlock[] = []
  let open: { fence: string; label: string; start: number; lines: string[] } | null = null
  let start = 0
  const close = (isClosed: boolean) => {
    if (open !== null)
      blocks.push({ label: open.label, text: open.lines.join('\n'), start: open.start, isClosed })
    open = null
  }
  for (const line of text.split('\n')) {
    const { fence, rest } = readFence(line.trim())
    if (open !== null && fence.startsWith(open.fence) && rest === '') close(true)
    else if (open !== null) open.lines.push(line)
    else if (blocks.length === maxBlocks) return blocks
    else if (fence !== '') open = { fence, label: labelOf(rest), start, lines: [] }
    start += line.length + 1
  }
  close(false)
  return blocks
}

/** The fence with which a line begins, and what stands behind it; empty when there is none. */
function readFence(line: string): { fence: string; rest: string } {
  const mark = line[0]
  if (mark !== '`' && mark !== '~') return { fence: '', rest: line }
  let length = 1
  while (line[length] === mark) length += 1
  const rest = line.slice(length).trim()
  // Backticks behind backticks are code within a line.
  const isFence = length >= 3 && !(mark === '`' && rest.includes('`'))
  return { fence: isFence ? line.slice(0, length) : '', rest }
}

/** Written `ts`, `ts title="a"`, `{.ts}` or `ts{1,3}`. */
const labelOf = (rest: string): string =>
  rest
    .replace(/^\{?\.?/, '')
    .split(/[\s{},:;]/, 1)[0]
    ?.toLowerCase() ?? ''
