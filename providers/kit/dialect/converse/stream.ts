/**
 * Converts Converse events to chat completion chunks, with one translator per stream. Unknown events and deltas are
 * ignored. A message is complete with `messageStop`; the `metadata` event after it contains the usage and ends the
 * stream.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 * Errors: `UpstreamFault` for an exception inside the stream.
 */
import type { CallContext, Json, JsonObject, StreamTranslator } from '@gateway/contract'
import { chunkWriter } from '../../chat/chunks.ts'
import { objectOf, textOf } from '../../chat/values.ts'
import { faultOfAwsEvent } from '../../framing/aws-event-stream.ts'
import { parseEvent } from '../../parse-event.ts'
import { serviceTierOf, vendorExtras } from './answer.ts'
import { finishOf } from './finish-reason.ts'
import { isOutputTool, outputTool } from './output.ts'
import { saidDeltas } from './said-deltas.ts'
import { unifiedUsage } from './usage.ts'

type Handler = (event: JsonObject) => JsonObject[]

interface OpenCall {
  index: number
  hasArguments: boolean
}

/** A translator for one stream. */
export function converseStream(context: CallContext): StreamTranslator {
  const write = chunkWriter(context)
  const said = saidDeltas(context)
  const calls = new Map<Json | undefined, OpenCall>()
  const outputs = new Set<Json | undefined>()
  let callCount = 0
  let isStopped = false
  let hasMetadata = false

  function callInput(block: Json | undefined, input: string): JsonObject[] {
    if (outputs.has(block)) return said.text(block, input)
    const call = calls.get(block)
    if (call === undefined || input === '') return []
    call.hasArguments = true
    return write.callArguments(call.index, input)
  }

  const handlers: Record<string, Handler> = {
    messageStart: () => write.begin(undefined, undefined),
    contentBlockStart({ start, contentBlockIndex: block }) {
      const { name, toolUseId } = objectOf(objectOf(start).toolUse)
      if (typeof name !== 'string') return []
      if (name === outputTool && isOutputTool(context)) {
        outputs.add(block)
        return []
      }
      const call = { index: callCount++, hasArguments: false }
      calls.set(block, call)
      said.call(block, textOf(toolUseId))
      return write.call(call.index, { id: textOf(toolUseId), name, arguments: '' })
    },
    contentBlockDelta({ delta: given, contentBlockIndex: block }) {
      const delta = objectOf(given)
      if (delta.toolUse !== undefined) return callInput(block, textOf(objectOf(delta.toolUse).input))
      return [...said.text(block, textOf(delta.text)), ...said.extras(block, delta)]
    },
    /** A call without input streams no JSON; its arguments are the empty object. */
    contentBlockStop({ contentBlockIndex: block }) {
      const call = calls.get(block)
      calls.delete(block)
      return call === undefined || call.hasArguments ? [] : write.callArguments(call.index, '{}')
    },
    messageStop({ stopReason, additionalModelResponseFields }) {
      isStopped = true
      const extras = vendorExtras({ additionalModelResponseFields }, context.strict)
      return [{ ...write.finish(finishOf(stopReason, context)), ...extras }]
    },
    metadata(event) {
      hasMetadata = true
      const extras = { ...serviceTierOf(event), ...vendorExtras(event, context.strict) }
      return write.usage(unifiedUsage(event.usage, context.strict)).map((chunk) => ({ ...chunk, ...extras }))
    },
  }

  return {
    event(event) {
      const fault = faultOfAwsEvent(event)
      if (fault !== null) throw fault
      const name = event.event ?? ''
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
      const chunks = handler?.(parseEvent(event.data)) ?? []
      return {
        chunks: chunks.map((chunk) => (chunk.choices === undefined ? write.delta(chunk) : chunk)),
        done: isStopped && hasMetadata,
      }
    },
    end: () => ({ chunks: [], done: isStopped }),
  }
}
