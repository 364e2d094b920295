/** Finds the JSON in a text: the whole text, or its fenced blocks with the label JSON or none. */
import { fencedBlocks } from './fenced-blocks.ts'

/** The most blocks that are examined. */
const maxBlocks = 20

/** Returns every JSON value in a text. */
export function findJson(text: string): unknown[] {
  const whole = parse(text)
  if (whole !== undefined) return [whole]
  return fencedBlocks(text)
    .filter(({ label, isClosed }) => isClosed && (label === '' || label === 'json'))
    .slice(0, maxBlocks)
    .map((block) => parse(block.text))
    .filter((value) => value !== undefined)
}

/** JSON has no undefined, so it can mean "not JSON". */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
