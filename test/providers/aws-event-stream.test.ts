/**
 * AWS event streams, split and broken at any byte.
 * Source: https://smithy.io/2.0/aws/amazon-eventstream.html
 */
import { isGatewayError, isUpstreamFault, type StreamEvent } from '@gateway/contract'
import { awsError, awsEventStream, faultOfAwsEvent } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'
import { errorFrame, exceptionFrame, frame, piecesOf } from './fixtures/aws-frames.ts'

async function eventsOf(pieces: Iterable<Buffer>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  async function* bytes() {
    yield* pieces
  }
  for await (const event of awsEventStream(bytes())) events.push(event)
  return events
}

async function codeOf(pieces: Iterable<Buffer>): Promise<string | null> {
  try {
    await eventsOf(pieces)
    return null
  } catch (error) {
    if (isGatewayError(error)) return error.code
    throw error
  }
}

const events = [
  { event: 'messageStart', data: '{"role":"assistant"}' },
  { event: 'contentBlockDelta', data: '{"delta":{"text":"Grüße, 世界"},"contentBlockIndex":0}' },
  { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
]
const whole = Buffer.concat(events.map(({ event, data }) => frame(event, data)))

describe('AWS event streams', () => {
  it('contain the same events for every split of their bytes', async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: whole.length }), { maxLength: 30 }),
        async (sizes) => {
          expect(await eventsOf(piecesOf(whole, sizes))).to.deep.equal(events)
        },
      ),
    )
  })

  it('contain the same events byte by byte', async () => {
    expect(await eventsOf(piecesOf(whole, Array(whole.length).fill(1)))).to.deep.equal(events)
  })

  it('contain any text in any number of frames', async () => {
    const drawn = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 })
    await assertProperty(
      fc.asyncProperty(drawn, async (texts) => {
        const frames = texts.map((data) => frame('chunk', data))
        expect((await eventsOf(frames)).map(({ data }) => data)).to.deep.equal(texts)
      }),
    )
  })

  it('that break off inside a frame are refused, at any byte', async () => {
    const ends = new Set<number>()
    let end = 0
    for (const { event, data } of events) {
      end += frame(event, data).length
      ends.add(end)
    }
    for (let length = 1; length < whole.length; length += 1) {
      const code = await codeOf([whole.subarray(0, length)])
      expect(code, `after ${length} bytes`).to.equal(ends.has(length) ? null : 'upstream_invalid_response')
    }
  })

  it('with one changed byte are refused, whichever it is', async () => {
    const one = frame('chunk', '{"bytes":"aGk="}')
    for (let at = 0; at < one.length; at += 1) {
      const changed = Buffer.from(one)
      changed[at] = (changed[at] ?? 0) ^ 0x01
      expect(await codeOf([changed]), `byte ${at}`).to.equal('upstream_invalid_response')
    }
  })

  for (const length of [0, 15, 0x7fffffff, 0xffffffff]) {
    it(`with a frame that declares ${length} bytes are refused at once`, async () => {
      const prelude = Buffer.alloc(12)
      prelude.writeUInt32BE(length)
      async function* endless() {
        yield prelude
        throw new Error('more was read')
      }
      let code: string | null = null
      try {
        for await (const _event of awsEventStream(endless())) expect.fail('an event came')
      } catch (error) {
        code = isGatewayError(error) ? error.code : String(error)
      }
      expect(code).to.equal('upstream_invalid_response')
    })
  }

  it('with a frame of an unknown kind are refused', async () => {
    expect(await codeOf([frame('x', '{}', 'initial-response')])).to.equal('upstream_invalid_response')
  })

  const exceptions: [string, number][] = [
    ['throttlingException', 429],
    ['validationException', 400],
    ['internalServerException', 500],
    ['modelStreamErrorException', 424],
    ['modelTimeoutException', 408],
    ['serviceUnavailableException', 503],
    ['accessDeniedException', 403],
    ['exceptionOfTomorrow', 502],
    ['constructor', 502],
  ]
  for (const [type, status] of exceptions) {
    it(`contain ${type} as an error with status ${status}`, async () => {
      const [event] = await eventsOf([exceptionFrame(type, { message: 'Broke off' })])
      const fault = event === undefined ? null : faultOfAwsEvent(event)
      const name = type.charAt(0).toUpperCase() + type.slice(1)
      expect(isUpstreamFault(fault) && fault.upstream).to.deep.equal({
        status,
        message: 'Broke off',
        type: name,
        param: null,
        code: name,
      })
    })
  }

  it('contain errors without a specific exception', async () => {
    const [event] = await eventsOf([errorFrame('InternalFailure', 'Oh')])
    const fault = event === undefined ? null : faultOfAwsEvent(event)
    expect(isUpstreamFault(fault) && fault.upstream).to.include({
      status: 500,
      message: 'Oh',
      code: 'InternalFailure',
    })
  })

  it('contain exceptions whose payload is not JSON', async () => {
    const [event] = await eventsOf([frame('throttlingException', 'slow down', 'exception')])
    const fault = event === undefined ? null : faultOfAwsEvent(event)
    expect(isUpstreamFault(fault) && fault.upstream.message).to.equal('slow down')
  })

  it('treat other events as successful', () => {
    expect(faultOfAwsEvent({ event: 'messageStart', data: '{}' })).to.equal(null)
  })
})

describe('AWS error bodies', () => {
  const bodies: [string, Parameters<typeof awsError>, object][] = [
    ['a message', [400, { message: 'No.' }], { status: 400, message: 'No.', code: 'upstream_error' }],
    ['a Message', [403, { Message: 'No.' }], { status: 403, message: 'No.', type: 'upstream_error' }],
    [
      'a type in the body',
      [429, { __type: 'com.amazonaws.bedrock#ThrottlingException', message: 'Slow.' }],
      { type: 'ThrottlingException', code: 'ThrottlingException' },
    ],
    [
      'a type in the header',
      [400, { message: 'No.' }, { 'x-amzn-errortype': 'ValidationException:http://internal.amazon.com/' }],
      { type: 'ValidationException', code: 'ValidationException' },
    ],
    ['a type alone', [404, { __type: 'ResourceNotFoundException' }], { code: 'ResourceNotFoundException' }],
  ]
  for (const [what, given, expected] of bodies) {
    it(`are parsed with ${what}`, () => {
      expect(awsError(...given)).to.include(expected)
    })
  }

  it('never show the request of a refused signature', () => {
    const message = "It does not match.\n\nThe Canonical String for this request should have been 'secret'"
    expect(awsError(403, { message })?.message).to.equal('It does not match.')
  })

  for (const body of [{}, { error: 'text' }, { message: 5 }]) {
    it(`are not found in ${JSON.stringify(body)}`, () => {
      expect(awsError(500, body)).to.equal(null)
    })
  }
})
