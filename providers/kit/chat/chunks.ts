/**
 * Chat completion chunks built from a provider's stream; their format depends on the request, as for a plain answer.
 */
import type { CallContext, Json, JsonObject } from '@gateway/contract'
import { type Finish, finishMembers } from './answer.ts'
import { usesLegacyFunctions } from './legacy-functions.ts'
import type { ToolCall } from './tools.ts'

/** The chunks of one choice. */
export interface ChoiceWriter {
  /** A chunk with this delta and these further members of the choice. */
  delta(delta: JsonObject, members?: JsonObject): JsonObject
  /** Begins a call, with the arguments known so far. The deprecated form supports only the first call. */
  call(index: number, call: ToolCall): JsonObject[]
  /** Continues a call's arguments. */
  callArguments(index: number, text: string): JsonObject[]
  /** The last chunk of the choice, with these members in addition to its finish reason. */
  finish(finish: Finish, members?: JsonObject): JsonObject
}

/** The chunks of one stream; for the first choice unless another is specified. */
export interface ChunkWriter extends ChoiceWriter {
  /** The provider's ids of answer and model, included in every further chunk. */
  name(id: Json | undefined, model: Json | undefined): void
  /** The first chunk of an answer, which also sets the answer's id and model; nothing after the first call. */
  begin(id: Json | undefined, model: Json | undefined): JsonObject[]
  /** Another choice. */
  choice(index: number): ChoiceWriter
  /** The usage chunk, for a caller who requested it. */
  usage(usage: JsonObject): JsonObject[]
}

/** The first delta of a choice. */
export const opening: JsonObject = { role: 'assistant', content: '' }

/** The chunks of one stream. */
export function chunkWriter(context: CallContext): ChunkWriter {
  const head: JsonObject = {
    id: '',
    object: 'chat.completion.chunk',
    created: Math.floor(context.now() / 1000),
    model: context.request.model,
  }
  const isLegacy = usesLegacyFunctions(context.request)
  let hasBegun = false

  function chunk(choice: JsonObject): JsonObject {
    if (head.id === '') head.id = context.id('chatcmpl-')
    return { ...head, choices: [choice], ...(context.includeUsage ? { usage: null } : {}) }
  }

  function choiceWriter(index: number): ChoiceWriter {
    const delta = (part: JsonObject, members: JsonObject = {}): JsonObject =>
      chunk({ index, delta: part, logprobs: null, finish_reason: null, ...members })
    const legacyCall = (at: number, part: JsonObject): JsonObject[] =>
      at === 0 ? [delta({ function_call: part })] : []
    return {
      delta,
      call(at, { id, name, arguments: text, extras }) {
        const named = { name, arguments: text }
        return isLegacy
          ? legacyCall(at, { ...named, ...extras })
          : [delta({ tool_calls: [{ index: at, id, type: 'function', function: named, ...extras }] })]
      },
      callArguments(at, text) {
        return isLegacy
          ? legacyCall(at, { arguments: text })
          : [delta({ tool_calls: [{ index: at, function: { arguments: text } }] })]
      },
      finish: (finish, members = {}) => delta({}, { ...finishMembers(finish, context), ...members }),
    }
  }

  function name(id: Json | undefined, model: Json | undefined): void {
    if (typeof id === 'string' && id !== '') head.id = id
    if (typeof model === 'string' && model !== '') head.model = model
  }

  const first = choiceWriter(0)
  return {
    ...first,
    choice: (index) => (index === 0 ? first : choiceWriter(index)),
    name,
    begin(id, model) {
      if (hasBegun) return []
      hasBegun = true
      name(id, model)
      return [first.delta(opening)]
    },
    usage: (usage) => (context.includeUsage ? [{ ...head, choices: [], usage }] : []),
  }
}
