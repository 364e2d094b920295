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

/** The changes that can be made, as a check gives them, and whether those are all of them. */
export interface Replacement {
  /** Undefined when no text can be changed. */
  transformed: Verdict['transformed']
  isWhole: boolean
}

/** Keeps what was JSON from becoming something else: the arguments of a tool call, the input of a tool. */
export function replacementOf(changes: readonly Change[]): Replacement {
  const possible = changes.filter(canReplace)
  const texts = new Map(possible.map(({ path, after }) => [path, after]))
  return {
    transformed: texts.size === 0 ? undefined : { texts },
    isWhole: possible.length === changes.length,
  }
}

/** Makes the verdict on texts that must change: true when every change can be made. */
export function replaceTexts(changes: readonly Change[], data: Verdict['data']): Verdict {
  const { transformed, isWhole } = replacementOf(changes)
  return transformed === undefined ? { verdict: false, data } : { verdict: isWhole, data, transformed }
}

/** A text that is JSON because a tool reads it; `/input` alone is what a user or an embedding says. */
const jsonPath = /.\/(?:arguments|input|args)$/

function canReplace({ path, before, after }: Change): boolean {
  if (!jsonPath.test(path)) return true
  const kind = kindOf(parseJson(before))
  return kind === null || kind === kindOf(parseJson(after))
}

const kindOf = (value: unknown): 'object' | 'array' | null =>
  isObject(value) ? 'object' : Array.isArray(value) ? 'array' : null
