/** Finds the JSON in a text: the whole text, or its fenced blocks that are marked as JSON or as nothing. */
import { fencedBlocks } from './fenced-blocks.ts'

/** More blocks than this are not looked at. */
const maxBlocks = 20

/** Gives every JSON value that a text presents; none when there is no JSON that can be read. */
export function findJson(text: string): unknown[] {
  const whole = parse(text)
  if (whole !== undefined) return [whole]
  return fencedBlocks(text)
    .filter(({ label, isClosed }) => isClosed && (label === '' || label === 'json'))
    .slice(0, maxBlocks)
    .map((block) => parse(block.text))
    .filter((value) => value !== undefined)
}

/** JSON has no undefined, so that it can stand for "not JSON". */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
