/**
 * Checks one answer while its bytes arrive, with minimal work: the status, the number of server-sent events, and the
 * end of the body. A timed stream is parsed completely.
 */
import type { Expectation } from './job.ts'
import type { StreamTimes, TimedStream } from './stream-times.ts'

const OK = 'http/1.1 200'
const LINE_FEED = 10
const LETTER_D = 100
const TAIL_BYTES = 16
const DONE = 'data: [DONE]'

export class AnswerCheck {
  readonly #expect: Expectation
  readonly #times: StreamTimes | null
  #timed: TimedStream | null = null
  #fault = ''
  #events = 0
  #atLineStart = true
  #tail = ''
  #text = ''
  #keepText = false

  constructor(expect: Expectation, times: StreamTimes | null) {
    this.#expect = expect
    this.#times = times
  }

  /** Begins a new answer; `keepText` keeps its body, for {@link Expectation.firstBody}. */
  begin(keepText: boolean): void {
    this.#timed = this.#times?.open() ?? null
    this.#fault = ''
    this.#events = 0
    this.#atLineStart = true
    this.#tail = ''
    this.#text = ''
    this.#keepText = keepText
  }

  /** Events so far, `[DONE]` among them. */
  get events(): number {
    return this.#events
  }

  head(text: string): void {
    if (!text.startsWith(OK)) {
      this.#fault = text.split('\r\n', 1).join()
      this.#keepText = true
    } else if (!text.includes(this.#expect.head)) {
      this.#fault = `the head lacks "${this.#expect.head}"`
    }
  }

  payload(bytes: Buffer, start: number, end: number): void {
    if (this.#keepText) this.#text += bytes.toString('latin1', start, end)
    if (this.#expect.kind !== 'json') this.#countEvents(bytes, start, end)
    this.#timed?.feed(bytes.toString('latin1', start, end))
    this.#tail = (this.#tail + bytes.toString('latin1', Math.max(start, end - TAIL_BYTES), end)).slice(
      -TAIL_BYTES,
    )
  }

  /** The reason why the answer is wrong; empty if it is correct. */
  end(): string {
    this.abandon()
    if (this.#fault !== '') return `${this.#fault} ${this.#text.slice(0, 200)}`.trim()
    if (this.#keepText && !this.#text.includes(this.#expect.firstBody)) {
      return `the body lacks ${this.#expect.firstBody}`
    }
    return this.#expect.kind === 'json' ? this.#jsonFault() : this.#streamFault()
  }

  /** Resets the state after an answer that broke off. */
  abandon(): void {
    this.#timed?.end()
    this.#timed = null
  }

  #jsonFault(): string {
    const tail = this.#tail.trimEnd()
    return tail.endsWith('}') ? '' : `the body ends with "${tail}"`
  }

  #streamFault(): string {
    const tail = this.#tail.trimEnd()
    const { events } = this.#expect
    if (!tail.endsWith(DONE)) return `the stream ends with "${tail}" instead of [DONE]`
    return this.#events - 1 === events ? '' : `${this.#events - 1} events instead of ${events}`
  }

  /** Counts the lines that begin with `d`, as in `data:`. */
  #countEvents(bytes: Buffer, start: number, end: number): void {
    let position = start
    while (position < end) {
      if (this.#atLineStart && bytes[position] === LETTER_D) this.#events += 1
      const next = bytes.indexOf(LINE_FEED, position)
      this.#atLineStart = next >= 0 && next < end
      position = this.#atLineStart ? next + 1 : end
    }
  }
}
