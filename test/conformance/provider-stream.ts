/** Parses a streamed answer of the gateway: its chunks, its tool calls, its end. */
import type { JsonObject } from '@gateway/contract'
import type { Reply } from '../support/scene.ts'
import { listOf, member } from './vendors/vendor.ts'

/** The text of a choice, whole or streamed, of a chat or a text. */
export function said(choice: unknown): string {
  const found = [['message', 'content'], ['delta', 'content'], ['text']].map((path) =>
    member(choice, ...path),
  )
  return found.find((value) => typeof value === 'string') ?? ''
}

/** The calls of a stream, put together by their index. */
export function joinCalls(choices: readonly unknown[]): JsonObject[] {
  const calls: { id: string; name: string; arguments: string }[] = []
  for (const delta of choices.flatMap((choice) => listOf(member(choice, 'delta', 'tool_calls')))) {
    const index = Number(member(delta, 'index'))
    const known = calls[index] ?? { id: '', name: '', arguments: '' }
    calls[index] = {
      id: known.id + String(member(delta, 'id') ?? ''),
      name: known.name + String(member(delta, 'function', 'name') ?? ''),
      arguments: known.arguments + String(member(delta, 'function', 'arguments') ?? ''),
    }
  }
  return calls.map(({ id, ...rest }) => ({ id, function: rest }))
}

export interface Streamed {
  chunks: Record<string, unknown>[]
  isDone: boolean
  /** The error in the last event, or in a plain answer instead of the stream. */
  error: unknown
}

export function readStream({ text: body }: Reply): Streamed {
  const events = body
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
  const isDone = events.at(-1) === '[DONE]'
  const parsed: Record<string, unknown>[] = events
    .filter((event) => event !== '[DONE]')
    .map((event) => JSON.parse(event))
  const whole = body.startsWith('{') ? JSON.parse(body) : {}
  const error = parsed.find((event) => 'error' in event)?.error ?? whole.error
  return { chunks: parsed.filter((event) => !('error' in event)), isDone, error }
}
