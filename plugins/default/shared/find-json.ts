/** Finds the JSON in a text: the whole text, or its fenced blocks that are marked as JSON or as nothing. */

/** More blocks than this are not looked at. */
const maxBlocks = 20

/** Gives every JSON value that a text presents; none when there is no JSON that can be read. */
export function findJson(text: string): unknown[] {
  const whole = parse(text)
  return whole === undefined
    ? fencedBlocks(text)
        .map(parse)
        .filter((value) => value !== undefined)
    : [whole]
}

/** JSON has no undefined, so that it can stand for "not JSON". */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function fencedBlocks(text: string): string[] {
  const blocks: string[] = []
  let block: string[] | null = null
  for (const line of text.split('\n')) {
    const fence = line.trim()
    if (!fence.startsWith('```')) block?.push(line)
    else if (block !== null) {
      blocks.push(block.join('\n'))
      block = null
    } else if (blocks.length === maxBlocks) return blocks
    else block = ['```', '```json'].includes(fence.toLowerCase()) ? [] : null
  }
  return blocks
}
