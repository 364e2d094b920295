/** For any bytes of a provider the caller receives a correct answer or error: never a 500, never a crash. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { bytesOf, dataOf, errorCodeOf, piece } from './events.ts'

const runs = { numRuns: 60 }

/** Bytes that resemble parts of an answer more often than random ones. */
const fragment = fc.oneof(
  fc.constantFrom(
    'data: ',
    'data:',
    'event: error\n',
    '\n\n',
    '\r\n\r\n',
    '\r',
    ': hi\n',
    '[DONE]',
    piece('hi'),
    '{"error":{"message":1,"code":{}}}',
    '{"choices":[null,{"delta":7}]}',
    '{"choices":{},"usage":[]}',
    'null',
    '[1]',
    '"a"',
  ),
  fc.uint8Array({ maxLength: 20 }),
)
const body = fc
  .array(fragment, { maxLength: 12 })
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))))

const headerValue = fc.oneof(
  fc.constantFrom('text/event-stream', 'application/json', 'gzip', 'chunked', 'close', '5', '-1', 'é世', ''),
  fc.string({ unit: 'binary', maxLength: 10 }).map((text) => text.replace(/[\r\n]/g, '')),
)
const header = fc.tuple(
  fc.constantFrom(
    'content-type',
    'content-length',
    'content-encoding',
    'transfer-encoding',
    'connection',
    'x-a',
    'retry-after',
    'location',
    'trailer',
    '__proto__',
  ),
  headerValue,
)
const status = fc.oneof(
  fc.constantFrom(200, 200, 200, 201, 204, 205, 301, 304, 404, 429, 500, 999),
  fc.integer({ min: 0, max: 999 }),
)
const head = fc.tuple(status, fc.array(header, { maxLength: 3 })).map(([code, headers]) => {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${String(code).padStart(3, '0')} x\r\n${lines.join('')}\r\n`)
})
const plainHead = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')

const answers: Record<string, fc.Arbitrary<Buffer>> = {
  'bytes that are no HTTP': fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  'a head of any kind, and a body': fc.tuple(head, body).map((parts) => Buffer.concat(parts)),
  'a fine head, and a body of any kind': body.map((bytes) => Buffer.concat([plainHead, bytes])),
}

describe('random bytes as a provider answer', () => {
  let gateway: TestGateway
  let server: Server
  let answer: Buffer = Buffer.alloc(0)
  const rejections: unknown[] = []
  const remember = (reason: unknown) => rejections.push(reason)

  before(async () => {
    process.on('unhandledRejection', remember)
    gateway = await startGateway()
    server = createServer((socket: Socket) => {
      socket.on('error', () => socket.destroy())
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
        if (received.endsWith('}')) socket.end(answer)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    process.off('unhandledRejection', remember)
    await gateway.stop()
    await new Promise((resolve) => server.close(resolve))
  })

  const config = (provider: string) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    return configHeader({ ...target(url), provider })
  }

  /** A streamed answer is complete, or ends with an error; any other answer is JSON. */
  async function check(response: Response): Promise<void> {
    expect(response.status).to.not.equal(500)
    const bytes = await bytesOf(response)
    if (response.headers.get('content-type') === 'text/event-stream') {
      const last = dataOf(bytes).at(-1)
      expect(last === '[DONE]' || errorCodeOf(last) !== null, `the last event is ${last}`).to.equal(true)
    } else {
      expect(response.headers.get('content-type')).to.contain('application/json')
      expect(JSON.parse(Buffer.from(bytes).toString())).to.be.an('object')
    }
  }

  for (const [name, arbitrary] of Object.entries(answers)) {
    for (const provider of ['openai', 'anthropic']) {
      it(`as ${name} from ${provider} never cause a 500`, async () => {
        const property = fc.asyncProperty(arbitrary, fc.boolean(), async (bytes, stream) => {
          answer = bytes
          const lines = gateway.logs.length
          // A provider's own 500 is forwarded; 407 would stop the client of this test.
          fc.pre(!/^HTTP\/1\.. (500|407)/.test(bytes.toString('latin1')))
          await check(
            await gateway.post(
              '/v1/chat/completions',
              chat('hi', { stream, max_tokens: 5 }),
              config(provider),
            ),
          )
          expect(gateway.logs.slice(lines).filter(({ level }) => Number(level) > 40)).to.deep.equal([])
        })
        await assertProperty(property, runs)
        expect(rejections).to.deep.equal([])
      })
    }
  }
})
