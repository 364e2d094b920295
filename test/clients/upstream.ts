/**
 * All vendors as one server on loopback: it answers from the script, refuses requests that the vendors refuse, and
 * records all requests.
 */
import type { ServerResponse } from 'node:http'
import type { JsonObject } from '@gateway/contract'
import { jsonAnswer, type Said, type VendorAnswer } from '../conformance/vendors/vendor.ts'
import { createAnthropicCache } from '../support/anthropic-cache.ts'
import { openUpstream, type SeenRequest } from '../support/upstream.ts'
import { asksForSummary, isKnown, type Position, positionOf, type Step, sayNext } from './model.ts'
import { type Conversation, Refusal } from './vendors/conversation.ts'
import { type Procedure, procedureAt, type VendorName } from './vendors/index.ts'

export interface VendorCall {
  vendor: VendorName
  bytes: number
  position: Position
  /** The usage; null if the request was not answered. */
  usage: Said['usage'] | null
  /** The reason of the refusal. */
  refusal?: string
  /** It was refused as too long for the model. */
  isTooLong?: boolean
  /** The agent's own request for a summary. */
  isSummary?: boolean
}

export interface Play {
  steps: readonly Step[]
  /** The steps after a compaction, whose summary the model writes. Default: the same. */
  stepsAfter?: readonly Step[]
  /** The number of bytes by which a session may grow before its requests are too long for the model. */
  room?: number
  /** Vendors that answer 503 from this number of results on. */
  downFrom?: Partial<Record<VendorName, number>>
  /** Whether the last answer begins and never ends. */
  hangs?: boolean
  /** Whether Anthropic counts tokens, with its prompt cache. */
  caches?: boolean
}

export interface Vendors {
  origin: string
  calls: VendorCall[]
  /** Answered calls for a count of tokens. */
  counts: number
  /** The number of answers that the gateway aborted after they had begun. */
  abandoned: number
  close(): Promise<void>
}

function write(response: ServerResponse, { status, headers, pieces }: VendorAnswer): void {
  response.writeHead(status, headers)
  for (const piece of pieces) response.write(piece)
  response.end()
}

export async function openVendors(play: Play): Promise<Vendors> {
  const calls: VendorCall[] = []
  const state = { abandoned: 0, counts: 0 }
  const cache = createAnthropicCache(1024)
  const { room = Number.POSITIVE_INFINITY } = play
  /** The size of the first request with tools. */
  let begun = Number.POSITIVE_INFINITY

  /** Answers a request; null: begins an answer and never ends it. */
  function answerOf(
    procedure: Procedure,
    request: SeenRequest,
    response: ServerResponse,
  ): VendorAnswer | null {
    const { vendor } = procedure
    const call: VendorCall = {
      vendor,
      bytes: request.bytes.length,
      position: { done: null, earlier: 0, images: 0 },
      usage: null,
    }
    calls.push(call)
    let conversation: Conversation
    let cached: Pick<Said['usage'], 'prompt' | 'read' | 'written'> | null = null
    try {
      conversation = procedure.format.read(request)
      if (play.caches === true && vendor === 'anthropic') cached = cache(request.json as JsonObject)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      call.refusal = error.message
      return procedure.fail(400, error.message, request)
    }
    call.position = positionOf(conversation)
    call.isSummary = asksForSummary(conversation)
    const done = call.position.done ?? 0
    const wasTooLong = calls.some(({ isTooLong }) => isTooLong === true)
    const isAfter = wasTooLong && call.bytes < begun + 0.7 * room && isKnown(request.text)
    if (conversation.tools.length > 1) begun = Math.min(begun, call.bytes)
    // A vendor's own compaction is taken to work.
    if (call.bytes > begun + room && conversation.isCompacted !== true) {
      call.isTooLong = true
      return procedure.tooLong(call.bytes, begun + room, { conversation, request })
    }
    if (done >= (play.downFrom?.[vendor] ?? Number.POSITIVE_INFINITY))
      return procedure.fail(503, 'The service is overloaded.', request)
    if (request.path.includes('count_tokens')) {
      state.counts += 1
      return jsonAnswer({ input_tokens: 1234 })
    }
    const said = sayNext(conversation, { ...play, isAfter }, calls.length)
    if (said === null) {
      call.refusal = `the agent offers no tool for step ${done}: ${conversation.tools.map(({ name }) => name).join(', ')}`
      return procedure.fail(400, call.refusal, request)
    }
    if (cached !== null) said.usage = { ...cached, completion: said.usage.completion }
    const answered = procedure.answer(said, conversation, request)
    if (play.hangs === true && call.position.done !== null && done >= play.steps.length) {
      response.on('close', () => (state.abandoned += 1))
      response.writeHead(answered.status, answered.headers)
      for (const piece of answered.pieces.slice(0, 3)) response.write(piece)
      return null
    }
    call.usage = said.usage
    return answered
  }

  const upstream = await openUpstream((request, response) => {
    const procedure = request.method === 'POST' ? procedureAt(request.path) : undefined
    const missing = jsonAnswer({ error: { message: 'Not found' } }, 404)
    const answer = procedure === undefined ? missing : answerOf(procedure, request, response)
    if (answer !== null) write(response, answer)
  })
  return {
    origin: upstream.origin,
    calls,
    get counts() {
      return state.counts
    },
    get abandoned() {
      return state.abandoned
    },
    close: () => upstream.close(),
  }
}
