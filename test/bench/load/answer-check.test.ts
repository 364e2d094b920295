import { expect } from 'chai'
import { chunkEvent, DONE_EVENT } from '../targets/wire-data.ts'
import { AnswerCheck } from './answer-check.ts'
import type { Expectation } from './job.ts'
import { StreamTimes } from './stream-times.ts'

const JSON_ANSWER: Expectation = { kind: 'json', events: 0, head: '', firstBody: '' }
const STREAM: Expectation = { kind: 'stream', events: 2, head: '', firstBody: '' }
const OK = 'http/1.1 200 ok'
const EVENTS = chunkEvent('a') + chunkEvent('b')

interface FaultOptions {
  head: string
  body: string
  splitAt: number
}

/** Feeds an answer in two pieces; returns the error that is found. */
function faultOf(expectation: Expectation, { head, body, splitAt }: FaultOptions): string {
  const check = new AnswerCheck(expectation, null)
  check.begin(true)
  check.head(head)
  const bytes = Buffer.from(body)
  check.payload(bytes, 0, splitAt)
  check.payload(bytes, splitAt, bytes.length)
  return check.end()
}

const CASES = [
  { name: 'a whole body', expectation: JSON_ANSWER, head: OK, body: '{"a":1}', fault: '' },
  {
    name: 'an error status',
    expectation: JSON_ANSWER,
    head: 'http/1.1 502 bad gateway\r\nx: y',
    body: '{}',
    fault: 'http/1.1 502 bad gateway {}',
  },
  {
    name: 'a missing header',
    expectation: { ...JSON_ANSWER, head: '\r\nx-cache: hit' },
    head: `${OK}\r\nx-cache: miss`,
    body: '{}',
    fault: 'the head lacks "\r\nx-cache: hit" {}',
  },
  {
    name: 'a missing part of the body',
    expectation: { ...JSON_ANSWER, firstBody: '"b"' },
    head: OK,
    body: '{"a":1}',
    fault: 'the body lacks "b"',
  },
  { name: 'a whole stream', expectation: STREAM, head: OK, body: EVENTS + DONE_EVENT, fault: '' },
  {
    name: 'a stream without an event',
    expectation: STREAM,
    head: OK,
    body: chunkEvent('a') + DONE_EVENT,
    fault: '1 events instead of 2',
  },
  {
    name: 'a stream without an end',
    expectation: STREAM,
    head: OK,
    body: EVENTS,
    fault: 'the stream ends with "eason":null}]}" instead of [DONE]',
  },
]

describe('bench: the check of an answer', () => {
  for (const { name, expectation, head, body, fault } of CASES) {
    it(`gives the same result for ${name}, for every split of its bytes`, () => {
      for (let at = 0; at <= Buffer.byteLength(body); at += 1) {
        expect(faultOf(expectation, { head, body, splitAt: at }), `split at ${at}`).to.equal(fault)
      }
    })
  }

  it('counts lost and reordered events of timed streams', () => {
    const times = new StreamTimes(4, 1)
    const check = new AnswerCheck({ ...STREAM, kind: 'timed-stream', events: 4 }, times)
    check.begin(false)
    check.head(OK)
    const now = process.hrtime.bigint()
    const bytes = Buffer.from([0, 2, 1].map((sequence) => chunkEvent(`${sequence} ${now}`)).join(''))
    check.payload(bytes, 0, 300)
    check.payload(bytes, 300, bytes.length)
    check.end()
    expect(times.result()).to.include({ events: 3, lost: 1, reordered: 1, atOnce: 1 })
  })
})
