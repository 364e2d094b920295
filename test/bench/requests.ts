/** The bodies that the load generator sends, and the expected answers. */
import { COUNTER, type Expectation } from './load/job.ts'
import { HELD_CHUNKS, LONG_CHUNKS, PACED_CHUNKS, PACED_MODEL, STREAM_CHUNKS } from './targets/wire-data.ts'

const QUESTION = 'Tell me in three sentences why the sky is blue at noon and red in the evening, please. '

interface Chat {
  model?: string
  stream?: boolean
  /** Makes every body a different one. */
  distinct?: boolean
}

/** A chat of two messages, about 500 bytes. */
export function chatBody({ model = 'bench-model', stream = false, distinct = false }: Chat): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: 'You are a helpful assistant who answers briefly and to the point.' },
      { role: 'user', content: QUESTION.repeat(3) + (distinct ? COUNTER : 'Thank you.') },
    ],
    temperature: 0.7,
    max_tokens: 256,
    ...(stream ? { stream: true } : {}),
  })
}

export const PACED_BODY = chatBody({ model: PACED_MODEL, stream: true })

export const EXPECT_JSON: Expectation = { kind: 'json', events: 0, head: '', firstBody: '"choices"' }
export const EXPECT_STREAM: Expectation = { kind: 'stream', events: STREAM_CHUNKS, head: '', firstBody: '' }
/** Text deltas and the closing chunk. */
export const EXPECT_LONG: Expectation = { ...EXPECT_STREAM, events: LONG_CHUNKS + 1 }
export const EXPECT_HELD: Expectation = { ...EXPECT_STREAM, events: HELD_CHUNKS + 1 }
/** A translated stream begins with a separate chunk for the role. */
export const EXPECT_TRANSLATED: Expectation = { ...EXPECT_STREAM, events: LONG_CHUNKS + 2 }
export const EXPECT_PACED: Expectation = {
  kind: 'timed-stream',
  events: PACED_CHUNKS,
  head: '',
  firstBody: '',
}
