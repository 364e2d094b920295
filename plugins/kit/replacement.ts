/** Replaces texts with those that a vendor masked or rewrote. */
import { type CheckInput, isObject, type Verdict } from '@gateway/contract'
import { parseJson } from './vendor.ts'

export interface Change {
  path: string
  before: string
  after: string
}

/** Whether the answer is a stream that is already being sent to the client. Its texts can then no longer change. */
export const isStreaming = ({ phase, response }: CheckInput): boolean =>
  phase === 'after' && response?.json === null

/** The possible changes, in the form that a check returns, and whether all changes are possible. */
export interface Replacement {
  /** The transformation; undefined if no text can be changed. */
  transformed: Verdict['transformed']
  isWhole: boolean
}

/** Texts that are JSON must stay JSON: the arguments of a tool call, the input of a tool. */
export function replacementOf(changes: readonly Change[]): Replacement {
  const possible = changes.filter(canReplace)
  const texts = new Map(possible.map(({ path, after }) => [path, after]))
  return {
    transformed: texts.size === 0 ? undefined : { texts },
    isWhole: possible.length === changes.length,
  }
}

/** Creates the verdict for texts that must change: true if every change can be made. */
export function replaceTexts(changes: readonly Change[], data: Verdict['data']): Verdict {
  const { transformed, isWhole } = replacementOf(changes)
  return transformed === undefined ? { verdict: false, data } : { verdict: isWhole, data, transformed }
}

/** Whether a text is JSON because a tool reads it; a top-level `/input` is text of a user or of an embedding. */
const jsonPath = /.\/(?:arguments|input|args)$/

function canReplace({ path, before, after }: Change): boolean {
  if (!jsonPath.test(path)) return true
  const kind = kindOf(parseJson(before))
  return kind === null || kind === kindOf(parseJson(after))
}

const kindOf = (value: unknown): 'object' | 'array' | null =>
  isObject(value) ? 'object' : Array.isArray(value) ? 'array' : null
