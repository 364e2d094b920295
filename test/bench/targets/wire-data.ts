/** The answers of the mock upstream: one chat completion of about 600 bytes, and the events of a streamed one. */

/** Events of a streamed completion, without the closing `[DONE]`. */
export const STREAM_CHUNKS = 50
/** Events of a paced stream, without the closing `[DONE]`, and the time between two of them. */
export const PACED_CHUNKS = 80
export const PACED_INTERVAL_MS = 50
/** The model that asks for a paced stream, whose chunks carry `SEQUENCE SENT_AT_NS`. */
export const PACED_MODEL = 'bench-paced'

/** The models that ask for a long stream: in the compatible format, and in that of Anthropic Messages. */
export const LONG_MODEL = 'bench-long'
export const TRANSLATED_MODEL = 'bench-translated'
/** Text deltas of a long stream. */
export const LONG_CHUNKS = 100
/** The model that asks for a longer one, and its text deltas. */
export const HELD_MODEL = 'bench-held'
export const HELD_CHUNKS = 500

/** The model that asks for a stream whose events arrive in one packet. */
export const BURST_MODEL = 'bench-burst'

/** The model whose whole answers arrive as late as those of a fast model, and how late. */
export const SLOW_MODEL = 'bench-slow'
export const SLOW_MS = 50

const CREATED = 1_760_000_000
const SENTENCE = 'The quick brown fox jumps over the lazy dog while the band plays on. '

/** A chat completion, about 600 bytes of JSON. */
export const COMPLETION = JSON.stringify({
  id: 'chatcmpl-bench0000000000000000000',
  object: 'chat.completion',
  created: CREATED,
  model: 'bench-model',
  system_fingerprint: 'fp_bench',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: SENTENCE.repeat(3).trim() },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 64, completion_tokens: 45, total_tokens: 109 },
})

export const DONE_EVENT = 'data: [DONE]\n\n'

/** One event of a streamed chat completion; `finish_reason` closes the choice. */
export function chunkEvent(content: string, finish_reason: string | null = null): string {
  const delta = finish_reason === null ? { content } : {}
  return `data: ${JSON.stringify({
    id: 'chatcmpl-bench0000000000000000000',
    object: 'chat.completion.chunk',
    created: CREATED,
    model: 'bench-model',
    system_fingerprint: 'fp_bench',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })}\n\n`
}

/** The events of one long stream of the compatible format, `[DONE]` last. */
export function longEvents(chunks: number = LONG_CHUNKS): string[] {
  const words = Array.from({ length: chunks }, (_, index) => chunkEvent(`word ${index + 1} `))
  return [...words, chunkEvent('', 'stop'), DONE_EVENT]
}

/** The same text as Anthropic Messages. Reference: https://platform.claude.com/docs/en/build-with-claude/streaming */
export function messageEvents(): string[] {
  const event = (type: string, rest: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
  const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench-model', content: [] }
  const usage = { input_tokens: 64, output_tokens: 1 }
  return [
    event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...Array.from({ length: LONG_CHUNKS }, (_, index) =>
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: `word ${index + 1} ` } }),
    ),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 200 },
    }),
    event('message_stop', {}),
  ]
}
