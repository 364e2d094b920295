/**
 * The gateway's own `compaction` items, which contain the summary of earlier turns, sealed in `encrypted_content`.
 * While a request runs, the summary is plain text, which guardrails can check and every provider can read. Callers
 * receive only the sealed form, which opens in the same workspace. Errors: 400 `invalid_body` for an item that cannot
 * be opened.
 */
import { carriedMark, GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { StateSeal } from '@gateway/contract/dialect'

const type = 'compaction'
const mark = `${carriedMark}compaction.`
const opening = 'Summary of the conversation so far, in place of its earlier turns:\n\n'

/** The context that a sealed summary is bound to. */
const recordOf = (workspace: string) => `compaction:${workspace}`

/** An item whose summary is not sealed yet. */
export const summaryItem = (id: string, summary: string): JsonObject => ({ id, type, summary })

/** Seals the summaries in an answer's body; returns the same body if it has none. */
export function sealSummaries(body: JsonObject, { workspace, sealer }: StateSeal): JsonObject {
  const output: Json[] = Array.isArray(body.output) ? body.output : []
  if (!output.some(isOpenSummary)) return body
  return {
    ...body,
    output: output.map((item) => {
      if (!isOpenSummary(item)) return item
      const { summary, ...rest } = item
      return { ...rest, encrypted_content: mark + sealer.seal(String(summary), recordOf(workspace)) }
    }),
  }
}

const isOpenSummary = (item: Json): item is JsonObject =>
  isObject(item) && item.type === type && typeof item.summary === 'string'

/** Whether an input ends with a compaction trigger. */
export const asksForCompaction = ({ input }: JsonObject): boolean =>
  Array.isArray(input) && isTrigger(input.at(-1))

export const isTrigger = (item: Json | undefined): boolean =>
  isObject(item) && item.type === 'compaction_trigger'

/** Replaces each of the gateway's items in the input with a message; returns the same input if it has none. */
export function openSummaries(input: Json | undefined, seal: StateSeal): Json | undefined {
  if (!Array.isArray(input) || !input.some(isSealedSummary)) return input
  return input.map((item, index) => {
    if (!isSealedSummary(item)) return item
    const text = opening + open(String(item.encrypted_content), index, seal)
    return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
  })
}

const isSealedSummary = (item: Json): item is JsonObject =>
  isObject(item) &&
  item.type === type &&
  typeof item.encrypted_content === 'string' &&
  item.encrypted_content.startsWith(mark)

function open(content: string, index: number, { workspace, sealer }: StateSeal): string {
  try {
    return sealer.open(content.slice(mark.length), recordOf(workspace))
  } catch (cause) {
    const param = `/input/${index}/encrypted_content`
    const message = `${param}: was changed, or comes from another workspace or another gateway`
    throw new GatewayError('invalid_body', message, { param, cause })
  }
}

/**
 * Whether an item stays in a compacted conversation. The summary of an earlier compaction becomes part of the new one.
 */
export const isOfUser = (item: JsonObject): boolean =>
  (item.type ?? 'message') === 'message' && item.role === 'user' && !isOpenedSummary(item)

/** Whether a message is an opened summary. */
function isOpenedSummary({ content }: JsonObject): boolean {
  const [part] = Array.isArray(content) ? content : []
  return isObject(part) && typeof part.text === 'string' && part.text.startsWith(opening)
}
