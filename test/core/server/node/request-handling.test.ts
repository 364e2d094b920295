/** Koa's private method that `replaceRequestHandling` replaces, after which Koa watches neither responses nor connections. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'chai'
import Koa, { type Middleware } from 'koa'
import { handleRequest } from '#core/server/app'
import { replaceRequestHandling } from '#core/server/node/request-handling'
import { until } from '../../../support/until.ts'
import { openRawServer, type RawServer, request } from './raw-server.ts'

describe('a Koa application with replaced request handling', () => {
  let raw: RawServer
  afterEach(() => raw.close())

  /** The numbers of listeners while a request is handled. */
  const listenersOf = (req: IncomingMessage, res: ServerResponse) =>
    [req.socket, res].flatMap((emitter) =>
      emitter.eventNames().map((name) => `${String(name)} ${emitter.listenerCount(name)}`),
    )

  async function serve(middleware: Middleware): Promise<string> {
    const app = new Koa()
    app.silent = true
    replaceRequestHandling(app, handleRequest)
    app.use(middleware)
    raw = await openRawServer(app.callback())
    raw.socket.write(request('/'))
    await until('the answer is there', () => /\r\n\r\n.+$/s.test(raw.received()))
    return raw.received()
  }

  it('adds no listeners to the response or its connection', async () => {
    let ofNode: string[] = []
    raw = await openRawServer((req, res) => {
      ofNode = listenersOf(req, res)
      res.end('ok')
    })
    raw.socket.write(request('/'))
    await until('the answer is there', () => raw.received().endsWith('ok'))
    raw.close()
    let ofKoa: string[] = []
    await serve((ctx) => {
      ofKoa = listenersOf(ctx.req, ctx.res)
      ctx.body = 'ok'
    })
    expect(ofKoa).to.deep.equal(ofNode)
  })

  it('sends the text that a middleware sets as the body', async () => {
    const answer = await serve((ctx) => {
      ctx.type = 'json'
      ctx.body = '{}'
    })
    expect(answer).to.match(/^HTTP\/1.1 200 OK\r\n.*content-type: application\/json/is)
    expect(answer).to.match(/content-length: 2\r\n.*\r\n\r\n\{\}$/is)
  })

  it('answers an error of a middleware with 500', async () => {
    const answer = await serve(() => {
      throw new Error('of a test')
    })
    expect(answer).to.match(/^HTTP\/1.1 500 .*Internal Server Error$/s)
  })
})
