/**
 * The mock upstream: answers chat completions immediately. Written on raw sockets with prepared bytes, because it
 * shares a core with the load generator and must not be the limit.
 *
 * - not streamed: one write, head and body;
 * - streamed: the head and the first event in one write, then one write for each further event, each in an
 *   event-loop turn of its own (setImmediate), so that the server under test meets single events as it
 *   would from a model and not one block; the connections' events interleave;
 * - the models `bench-long` and `bench-translated`: 100 events, the latter in the format of Anthropic Messages;
 * - the model `bench-held`: 500 events;
 * - the model `bench-burst`: the usual 50 events, in one write;
 * - the model `bench-paced`: one event each 50 ms, holding its number and the time it was sent
 *   (nanoseconds of the machine's monotonic clock, the same in every process);
 * - the model `bench-slow`: not streamed, after 50 ms.
 *
 * Argument: the port on 127.0.0.1.
 */
import { createServer, type Socket } from 'node:net'
import { MessageReader } from '../load/message-reader.ts'
import { startPacedStream } from './paced-streams.ts'
import {
  BURST_MODEL,
  COMPLETION,
  chunkEvent,
  DONE_EVENT,
  HELD_CHUNKS,
  HELD_MODEL,
  LONG_MODEL,
  longEvents,
  messageEvents,
  PACED_MODEL,
  SLOW_MODEL,
  SLOW_MS,
  STREAM_CHUNKS,
  TRANSLATED_MODEL,
} from './wire-data.ts'

const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(COMPLETION)}\r\n\r\n${COMPLETION}`,
)
const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const STREAM_END = `${frame(DONE_EVENT)}0\r\n\r\n`
const STREAM_WRITES = streamWrites()
const BURST_WRITES = [Buffer.concat(STREAM_WRITES)]
const LONG_WRITES = writesOf(longEvents())
const HELD_WRITES = writesOf(longEvents(HELD_CHUNKS))
const MESSAGE_WRITES = writesOf(messageEvents())
const PACED_MARK = `"${PACED_MODEL}"`
const SLOW_MARK = `"${SLOW_MODEL}"`

function frame(event: string): string {
  return `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`
}

/** The writes of one stream, in order: 50 events and the end. */
function streamWrites(): Buffer[] {
  const writes: Buffer[] = []
  for (let index = 1; index <= STREAM_CHUNKS; index += 1) {
    const event = index < STREAM_CHUNKS ? chunkEvent(`word ${index} `) : chunkEvent('', 'stop')
    writes.push(Buffer.from((index === 1 ? STREAM_HEAD : '') + frame(event)))
  }
  writes.push(Buffer.from(STREAM_END))
  return writes
}

/** The head with the first event, one write an event, and the end. */
function writesOf(events: readonly string[]): Buffer[] {
  const last = events.length - 1
  return events.map((event, index) =>
    Buffer.from((index === 0 ? STREAM_HEAD : '') + frame(event) + (index === last ? '0\r\n\r\n' : '')),
  )
}

function writeStream(socket: Socket, writes: readonly Buffer[], index: number): void {
  const bytes = writes[index]
  if (bytes === undefined || socket.destroyed) return
  socket.write(bytes)
  setImmediate(writeStream, socket, writes, index + 1)
}

function writePacedStream(socket: Socket): void {
  socket.write(STREAM_HEAD)
  startPacedStream(
    (sequence) => {
      if (socket.destroyed) return false
      socket.write(frame(chunkEvent(`${sequence} ${process.hrtime.bigint()}`)))
      return true
    },
    () => socket.write(STREAM_END),
  )
}

function answer(socket: Socket, body: string): void {
  if (body.includes(SLOW_MARK)) setTimeout(writeAnswer, SLOW_MS, socket)
  else if (!body.includes('"stream":true')) socket.write(ANSWER)
  else if (body.includes(PACED_MARK)) writePacedStream(socket)
  else writeStream(socket, writesFor(body), 0)
}

function writeAnswer(socket: Socket): void {
  if (!socket.destroyed) socket.write(ANSWER)
}

function writesFor(body: string): readonly Buffer[] {
  if (body.includes(`"${LONG_MODEL}"`)) return LONG_WRITES
  if (body.includes(`"${HELD_MODEL}"`)) return HELD_WRITES
  if (body.includes(`"${BURST_MODEL}"`)) return BURST_WRITES
  return body.includes(`"${TRANSLATED_MODEL}"`) ? MESSAGE_WRITES : STREAM_WRITES
}

function serve(socket: Socket): void {
  let body = ''
  const reader = new MessageReader({
    head() {
      body = ''
    },
    payload(bytes, start, end) {
      body += bytes.toString('latin1', start, end)
    },
    end() {
      answer(socket, body)
    },
  })
  socket.setNoDelay(true)
  socket.on('data', (bytes) => reader.feed(bytes))
  socket.on('error', () => socket.destroy())
}

createServer(serve).listen(Number(process.argv[2]), '127.0.0.1')
