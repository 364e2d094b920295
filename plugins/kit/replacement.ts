/** Puts texts that a vendor masked or rewrote in the place of the original ones. */
import { type CheckInput, isObject, type Verdict } from '@gateway/contract'
import { parseJson } from './vendor.ts'

export interface Change {
  path: string
  before: string
  after: string
}

/** Whether the answer is a stream that is already on its way to the client, so that its texts cannot change any more. */
export const isStreaming = ({ phase, response }: CheckInput): boolean =>
  phase === 'after' && response?.json === null

/** Makes the verdict on texts that must change: true when every change can be made. */
export function replaceTexts(changes: readonly Change[], data: Verdict['data']): Verdict {
  const possible = changes.filter(canReplace)
  if (possible.length === 0) return { verdict: false, data }
  const texts = new Map(possible.map(({ path, after }) => [path, after]))
  return { verdict: possible.length === changes.length, data, transformed: { texts } }
}

/** The input of a tool call is a JSON object: its replacement must be one, too. */
function canReplace({ path, before, after }: Change): boolean {
  return !path.endsWith('/input') || !isObject(parseJson(before)) || isObject(parseJson(after))
}
