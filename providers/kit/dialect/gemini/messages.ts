/**
 * Converts messages to `systemInstruction` and `contents`. System and developer messages at any position become the
 * system instruction. Consecutive messages of one role are merged, including the results of parallel tool calls; a user
 * message after results stays separate. `name` on a message is dropped.
 * Reference: https://ai.google.dev/gemini-api/docs/text-generation
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { saidContent } from '../../chat/content.ts'
import { refusal } from '../../chat/refusal.ts'
import { inputParts, textParts } from './parts.ts'
import { type CalledNames, callParts, resultParts, signatureOf } from './tool-calls.ts'
import type { Content, Part, Reader } from './types.ts'

export interface Conversation {
  system: Part[]
  contents: Content[]
}

interface Turn extends Content {
  /** Whether it contains results of tool calls. */
  isResult: boolean
}

/**
 * The conversation of a request without deprecated members.
 * Errors: `invalid_body` for parts without a counterpart.
 */
export function readConversation(body: JsonObject, reader: Reader): Conversation {
  const given = Array.isArray(body.messages) ? body.messages : []
  const system: Part[] = []
  const turns: Turn[] = []
  const called: CalledNames = new Map()
  for (const [index, message] of given.entries()) {
    if (!isObject(message)) continue
    const path = `/messages/${index}`
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...textParts(message.content, `${path}/content`, reader))
    } else {
      append(turns, readMessage(message, path, { reader, called }))
    }
  }
  if (turns.length === 0) {
    throw refusal(reader.provider, '/messages', 'at least one user message with content is required')
  }
  return { system, contents: turns.map(({ role, parts }) => ({ role, parts })) }
}

function readMessage(
  message: JsonObject,
  path: string,
  { reader, called }: { reader: Reader; called: CalledNames },
): Turn {
  if (message.role === 'assistant') {
    return { role: 'model', parts: assistantParts(message, path, { reader, called }), isResult: false }
  }
  if (message.role === 'tool') {
    return { role: 'user', parts: resultParts(message, path, { reader, called }), isResult: true }
  }
  return { role: 'user', parts: inputParts(message.content, `${path}/content`, reader), isResult: false }
}

function assistantParts(
  message: JsonObject,
  path: string,
  { reader, called }: { reader: Reader; called: CalledNames },
): Part[] {
  const said = textParts(saidContent(message), `${path}/content`, reader)
  const shown = shownParts(message.content_blocks, said.length > 0, {
    path: `${path}/content_blocks`,
    reader,
  })
  return [...signed([...said, ...shown], message), ...callParts(message, path, { reader, called })]
}

/** Blocks of an earlier answer: its images, and its text if the message has no content. */
function shownParts(
  blocks: Json | undefined,
  hasText: boolean,
  { path, reader }: { path: string; reader: Reader },
): Part[] {
  if (!Array.isArray(blocks)) return []
  const isShown = ({ type }: JsonObject) => type === 'image_url' || (type === 'text' && !hasText)
  return blocks.flatMap((block, index): Part[] => {
    if (!isObject(block) || !isShown(block)) return []
    const parts = inputParts([block], `${path}/${index}`, reader)
    return block.type === 'image_url' ? signed(parts, block) : parts
  })
}

/** A signature belongs to the last part; without any part it gets its own. */
function signed(parts: Part[], message: JsonObject): Part[] {
  const thoughtSignature = signatureOf(message)
  if (thoughtSignature === null) return parts
  const last = parts[parts.length - 1] ?? { text: '' }
  return [...parts.slice(0, -1), { ...last, thoughtSignature }]
}

function append(turns: Turn[], turn: Turn): void {
  if (turn.parts.length === 0) return
  const last = turns[turns.length - 1]
  if (last !== undefined && last.role === turn.role && last.isResult === turn.isResult) {
    last.parts.push(...turn.parts)
  } else {
    turns.push({ ...turn, parts: [...turn.parts] })
  }
}
