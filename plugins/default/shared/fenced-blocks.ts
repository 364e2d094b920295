/**
 * The fenced code blocks of a Markdown text: three or more backticks or tildes at the start of a line, possibly
 * indented, as in lists. Reference: https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */

export interface FencedBlock {
  /** The first word after the opening fence, in lower case: the language's name. Empty without a language. */
  label: string
  text: string
  /** The offset of the block in the text, in UTF-16 units. */
  start: number
  /** False when the text ends before the block does. */
  isClosed: boolean
}

/** The most blocks that are examined. */
const maxBlocks = 100

/** Lists the blocks of a text, in order. */
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

/** The fence at the start of a line, and the text after it. Empty for a line without a fence. */
function readFence(line: string): { fence: string; rest: string } {
  const mark = line[0]
  if (mark !== '`' && mark !== '~') return { fence: '', rest: line }
  let length = 1
  while (line[length] === mark) length += 1
  const rest = line.slice(length).trim()
  // Backticks after backticks are inline code.
  const isFence = length >= 3 && !(mark === '`' && rest.includes('`'))
  return { fence: isFence ? line.slice(0, length) : '', rest }
}

/** Written `ts`, `ts title="a"`, `{.ts}` or `ts{1,3}`. */
const labelOf = (rest: string): string =>
  rest
    .replace(/^\{?\.?/, '')
    .split(/[\s{},:;]/, 1)[0]
    ?.toLowerCase() ?? ''
