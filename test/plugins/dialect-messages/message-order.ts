/**
 * The allowed order of a message's events, and the message that a client builds from them.
 * Source: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { expect } from 'chai'

type Event = Record<string, unknown>

const deltaKinds: Record<string, string[]> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  redacted_thinking: [],
}

export interface Told {
  id: unknown
  model: unknown
  content: Record<string, unknown>[]
  stopReason: unknown
  usage: Record<string, unknown>
  /** Whether `message_stop` has arrived. */
  isComplete: boolean
}

/** Checks every step. An incomplete stream may be valid up to its end. */
export function followMessage(events: readonly object[]): Told {
  const told: Told = { id: null, model: null, content: [], stopReason: null, usage: {}, isComplete: false }
  let state: 'before' | 'between' | 'in a block' | 'ending' | 'over' = 'before'
  let input = ''
  const expectState = (event: Event, ...states: (typeof state)[]) =>
    expect(states, `${String(event.type)} ${state} ${JSON.stringify(event)}`).to.include(state)
  const last = (): Record<string, unknown> => told.content[told.content.length - 1] ?? {}
  for (const event of events as Event[]) {
    switch (event.type as string) {
      case 'ping':
        break
      case 'message_start': {
        expectState(event, 'before')
        const message = event.message as Record<string, unknown>
        expect(message).to.include({ type: 'message', role: 'assistant', stop_reason: null })
        expect(message.content).to.deep.equal([])
        Object.assign(told, { id: message.id, model: message.model, usage: message.usage })
        state = 'between'
        break
      }
      case 'content_block_start':
        expectState(event, 'between')
        expect(event.index).to.equal(told.content.length)
        told.content.push({ ...(event.content_block as object) })
        input = ''
        state = 'in a block'
        break
      case 'content_block_delta': {
        expectState(event, 'in a block')
        expect(event.index).to.equal(told.content.length - 1)
        const { type, ...delta } = event.delta as Record<string, string>
        const block = last()
        expect(deltaKinds[String(block.type)], String(type)).to.include(type)
        if (type === 'input_json_delta') input += delta.partial_json
        else if (type !== 'citations_delta')
          for (const [key, value] of Object.entries(delta)) block[key] = String(block[key] ?? '') + value
        break
      }
      case 'content_block_stop':
        expectState(event, 'in a block')
        expect(event.index).to.equal(told.content.length - 1)
        if (input !== '') last().input = JSON.parse(input)
        state = 'between'
        break
      case 'message_delta': {
        expectState(event, 'between')
        const delta = event.delta as Record<string, unknown>
        told.stopReason = delta.stop_reason
        told.usage = { ...told.usage, ...(event.usage as object) }
        state = 'ending'
        break
      }
      case 'message_stop':
        expectState(event, 'ending')
        told.isComplete = true
        state = 'over'
        break
      default:
        expect.fail(`An event of an unknown type: ${JSON.stringify(event)}`)
    }
  }
  return told
}
