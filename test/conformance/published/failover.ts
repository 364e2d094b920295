/** A failing target: who answers then, before the first byte of an answer and after it. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { type Scene, tree } from '../../support/scene.ts'
import { chatAnswer, chatChunk, chatEvents, sendEvents, sendJson } from '../../support/upstream.ts'
import type { Row, Table } from './table.ts'

const opening = `data: ${JSON.stringify(chatChunk({ role: 'assistant', content: '' }))}\n\n`
const content = `data: ${JSON.stringify(chatChunk({ content: 'said' }))}\n\n`

type Failure = (response: ServerResponse) => unknown

const begin = async (response: ServerResponse, text: string) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  await new Promise((resolve) => response.write(text, resolve))
}
const breakOff =
  (text: string): Failure =>
  async (response) => {
    await begin(response, text)
    response.socket?.resetAndDestroy()
  }
const refuse =
  (status: number): Failure =>
  (response) =>
    sendJson(response, status, { error: { message: 'no' } })
const reset: Failure = (response) => response.socket?.resetAndDestroy()
const errorEvent = 'data: {"error":{"message":"no","code":"no"}}\n\n'

const before: readonly [what: string, isStream: boolean, failure: Failure][] = [
  ['answers 429', false, refuse(429)],
  ['answers 500', false, refuse(500)],
  ['answers 503', false, refuse(503)],
  ['resets the connection', false, reset],
  [
    'drops the connection in the middle of the answer',
    false,
    async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const text = JSON.stringify(chatAnswer('said')).slice(0, -1)
      await new Promise((resolve) => response.write(text, resolve))
      response.socket?.resetAndDestroy()
    },
  ],
  ['answers 429', true, refuse(429)],
  ['answers 503', true, refuse(503)],
  ['resets the connection', true, reset],
  ['drops the connection after the response headers', true, breakOff('')],
  ['drops the connection after the opening event', true, breakOff(opening)],
  ['ends the stream without an event', true, (response) => sendEvents(response, [])],
  ['ends the stream after the opening event', true, (response) => sendEvents(response, [opening])],
  ['sends an error event first', true, (response) => sendEvents(response, [errorEvent])],
  [
    'sends an error event after the opening event',
    true,
    (response) => sendEvents(response, [opening, errorEvent]),
  ],
]

const after: readonly [what: string, failure: Failure][] = [
  ['drops the connection', breakOff(content)],
  ['ends the stream without its terminator', (response) => sendEvents(response, [content])],
  ['sends an error event', (response) => sendEvents(response, [content, errorEvent])],
]

const config = (scene: Scene) => ({
  ...tree('fallback', [scene.leaf('first'), scene.leaf('second')]),
})
const body = (stream: boolean) => ({ model: 'm', stream, messages: [{ role: 'user', content: 'hello' }] })

function beforeRow(scene: Scene, [what, isStream, failure]: (typeof before)[number]): Row {
  return {
    cells: ['before', isStream ? 'streamed' : 'not streamed', what, 'only the answer of the next target'],
    async run() {
      scene.answers = {
        first: (_request, response) => void failure(response),
        second: (_request, response) =>
          isStream ? sendEvents(response, chatEvents('next')) : sendJson(response, 200, chatAnswer('next')),
      }
      const reply = await scene.ask(config(scene), { body: body(isStream) })
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.index).to.equal('config.targets[1]')
      expect(reply.text).to.include('next').and.not.include('"error"')
      expect(scene.calls()).to.deep.equal(['first', 'second'])
    },
  }
}

function afterRow(scene: Scene, [what, failure]: (typeof after)[number]): Row {
  return {
    cells: ['after', 'streamed', what, 'an error event at the end of the stream; no other target is called'],
    async run() {
      scene.answers = { first: (_request, response) => void failure(response) }
      const reply = await scene.ask(config(scene), { body: body(true) })
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.text).to.include('said').and.include('"error"').and.not.include('[DONE]')
      expect(scene.calls()).to.deep.equal(['first'])
    },
  }
}

export const failoverTable = (scene: Scene): Table => ({
  title: 'Failover before and after the first byte',
  text: 'Two targets in a `fallback`. The first one fails as described in the row, before or after its first byte of content.',
  columns: ['first byte of content', 'request', 'the first target', 'the caller receives'],
  rows: [...before.map((each) => beforeRow(scene, each)), ...after.map((each) => afterRow(scene, each))],
})
