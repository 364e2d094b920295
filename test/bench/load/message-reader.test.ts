import { expect } from 'chai'
import { MessageReader } from './message-reader.ts'

/** Reads the pieces and writes down what came out. */
function read(pieces: readonly Buffer[]): { head: string; body: string }[] {
  const messages: { head: string; body: string }[] = []
  let message = { head: '', body: '' }
  const reader = new MessageReader({
    head(text) {
      message = { head: text, body: '' }
    },
    payload(bytes, start, end) {
      message.body += bytes.toString('latin1', start, end)
    },
    end() {
      messages.push(message)
    },
  })
  for (const piece of pieces) reader.feed(piece)
  return messages
}

const CASES = [
  {
    name: 'a body with a content-length',
    wire: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
    bodies: ['hello'],
  },
  {
    name: 'a chunked body with a trailer',
    wire: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab\n\r\n1;x=y\r\nc\r\n0\r\nx-end: 1\r\n\r\n',
    bodies: ['ab\nc'],
  },
  {
    name: 'messages one after the other',
    wire: 'GET / HTTP/1.1\r\nhost: a\r\n\r\nPOST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}',
    bodies: ['', '{}'],
  },
]

describe('bench: the message reader', () => {
  for (const { name, wire, bodies } of CASES) {
    it(`parses ${name} the same for every split of its bytes`, () => {
      const bytes = Buffer.from(wire)
      for (let at = 0; at <= bytes.length; at += 1) {
        const messages = read([bytes.subarray(0, at), bytes.subarray(at)])
        expect(
          messages.map(({ body }) => body),
          `split at ${at}`,
        ).to.deep.equal(bodies)
      }
      const single = read(Array.from(bytes, (byte) => Buffer.from([byte])))
      expect(single.map(({ body }) => body)).to.deep.equal(bodies)
    })
  }

  it('refuses an invalid chunk size', () => {
    const wire = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n')
    expect(() => read([wire])).to.throw('unreadable chunk size')
  })
})
