/**
 * One choice of a chat stream → parts of a candidate. Text and thoughts are sent as they arrive. A call is sent when
 * its arguments are complete, because the format has no partial arguments.
 */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import {
  contentText,
  createBlocks,
  type DialectContext,
  indexed,
  thoughtsOf,
} from '@gateway/contract/dialect'
import { finishReasonOf, groundingOf } from './finish.ts'
import { showsThoughts } from './generation-config.ts'
import {
  type Call,
  callPart,
  isNeeded,
  type Needed,
  shownPart,
  signed,
  textOf,
  thoughtPart,
} from './parts.ts'

export interface ChoiceStream {
  /** The parts that are completed by a chunk's choice. */
  read(choice: JsonObject): JsonObject[]
  /** The candidate of the last event. */
  end(): JsonObject
  /** Whether a filter removed the whole answer. */
  isBlocked(): boolean
}

/** @param index index of the candidate */
export function createChoiceStream(index: number, context: DialectContext): ChoiceStream {
  const shows = showsThoughts(context.request)
  const blocks = createBlocks()
  /** Calls that have not been sent yet, in order. */
  const open = new Map<number, Call>()
  /** The thoughts before the first text since the last call; null without such a text. */
  let leading: number | null = null
  let text = ''
  let hasRefused = false
  let hasParts = false
  let ended: JsonObject = {}
  let annotations: JsonObject[] = []
  let extra: JsonObject | null = null

  function takeNeeded(): Needed {
    const needed = { blocks: blocks.take().filter(isNeeded), leading: leading ?? 0 }
    leading = null
    return needed
  }

  /** Sends the calls that are complete, up to the first that is not. */
  function completed(isOver: boolean): JsonObject[] {
    const parts: JsonObject[] = []
    for (const [at, call] of open) {
      if (!isOver && !isComplete(call.input)) break
      open.delete(at)
      const part = callPart(call, takeNeeded(), ended.finish_reason === 'length')
      if (part !== null) parts.push(part)
    }
    return parts
  }

  function addCall(at: number, piece: JsonObject): JsonObject[] {
    const called = isObject(piece.function) ? piece.function : {}
    const known = open.get(at)
    const before = known === undefined ? completed(false) : []
    open.set(at, {
      id: known?.id ?? (textOf(piece.id) || context.id('call_')),
      name: known?.name || textOf(called.name),
      input: (known?.input ?? '') + textOf(called.arguments),
      extra: isObject(piece.extra_content) ? piece.extra_content : (known?.extra ?? null),
    })
    return before
  }

  function readDelta(delta: JsonObject): JsonObject[] {
    const refusal = textOf(delta.refusal)
    const said = contentText(delta.content) + refusal
    const thoughts = shows ? thoughtsOf(delta).map((thought) => thoughtPart(thought.text)) : []
    const pieces = indexed(delta.content_blocks)
    const shown = pieces.map(([, block]) => shownPart(block)).filter((part) => part !== null)
    const isNew = said !== '' || thoughts.length > 0 || pieces.length > 0
    const before = isNew ? completed(false) : []
    blocks.add(delta)
    if (said !== '') leading ??= blocks.list().filter(isNeeded).length
    hasRefused ||= refusal !== ''
    text += said
    if (Array.isArray(delta.annotations))
      annotations = [...annotations, ...delta.annotations.filter(isObject)]
    if (isObject(delta.extra_content)) extra = { ...extra, ...delta.extra_content }
    const calls = indexed(delta.tool_calls).flatMap(([at, piece]) => addCall(at, piece))
    const legacy = isObject(delta.function_call) ? addCall(0, { function: delta.function_call }) : []
    return [...before, ...thoughts, ...(said === '' ? [] : [{ text: said }]), ...shown, ...calls, ...legacy]
  }

  return {
    read(choice) {
      if (typeof choice.finish_reason === 'string') ended = choice
      const parts = isObject(choice.delta) ? readDelta(choice.delta) : []
      hasParts ||= parts.length > 0
      return parts
    },
    end() {
      const calls = completed(true)
      hasParts ||= calls.length > 0
      const rest = signed(takeNeeded(), extra)
      const isSigned = Object.keys(rest).length > 0
      return {
        // Clients discard a turn in which an event has no content.
        content: {
          parts: calls.length > 0 && !isSigned ? calls : [...calls, { text: '', ...rest }],
          role: 'model',
        },
        finishReason: finishReasonOf(ended, hasRefused),
        index,
        ...groundingOf(annotations, text),
      }
    },
    isBlocked: () => !hasParts && open.size === 0 && ended.finish_reason === 'content_filter',
  }
}

const isComplete = (input: string): boolean => input.trimEnd().endsWith('}') && isObject(parseJson(input))
