/** Function calls in a stream. They may be interleaved, so they all end together. */
import { isObject, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import { mostCalls } from './answer.ts'
import type { Place } from './events.ts'
import { createNames } from './namespaces.ts'
import type { Output } from './output.ts'
import type { Ending } from './response-object.ts'
import { signatureBlock } from './signature.ts'
import type { Talk } from './talk.ts'
import { type CallWriter, createCall, createClientCall, createCustomCall } from './writers.ts'

export interface Calls {
  count(): number
  /** `position` identifies a call within its answer. */
  add(position: number, delta: JsonObject): JsonObject[]
  end(ending: Ending): JsonObject[]
}

interface Call {
  id: string
  /** Arguments that arrived before the name. */
  early: string
  extra: JsonObject | null
  /** Null until the name has arrived. */
  open: { place: Place; writer: CallWriter } | null
}

/** @param talk the reasoning and messages before a call */
export function createCalls(
  output: Output,
  context: DialectContext,
  talk: Pick<Talk, 'carry' | 'end'>,
): Calls {
  const calls = new Map<number, Call>()
  const most = mostCalls(context.request)
  const functionOf = createNames(context.request)

  const begin = (call: Call, name: string): JsonObject[] => {
    if (call.id === '') call.id = context.id('call_')
    const carried = call.extra === null ? [] : talk.carry(signatureBlock(call.extra, call.id))
    const ended = [...carried, ...talk.end()]
    const called = functionOf(name)
    const place = output.take(called.tool?.prefix ?? (called.isCustom ? 'ctc' : 'fc'))
    const create = called.isCustom ? createCustomCall : createCall
    const writer =
      called.tool === undefined
        ? create(place, call.id, called)
        : createClientCall(place, call.id, called.tool)
    call.open = { place, writer }
    return [...ended, ...writer.open(), ...writer.add(call.early)]
  }

  return {
    count: () => calls.size,
    add(position, delta) {
      const called = isObject(delta.function) ? delta.function : {}
      const written = typeof called.arguments === 'string' ? called.arguments : ''
      if (!calls.has(position) && calls.size >= most) return []
      const call = calls.get(position) ?? { id: '', early: '', extra: null, open: null }
      calls.set(position, call)
      if (call.id === '' && typeof delta.id === 'string') call.id = delta.id
      if (isObject(delta.extra_content)) call.extra = delta.extra_content
      if (call.open !== null) return call.open.writer.add(written)
      call.early += written
      return typeof called.name === 'string' && called.name !== '' ? begin(call, called.name) : []
    },
    end(ending) {
      const begun = [...calls.values()].flatMap((call) => (call.open === null ? begin(call, '') : []))
      const ended = [...calls.values()].flatMap(({ open }) =>
        open === null ? [] : output.keep(open.place, open.writer.close(output.statusAt(open.place, ending))),
      )
      return [...begun, ...ended]
    },
  }
}
