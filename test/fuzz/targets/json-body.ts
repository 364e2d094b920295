/** The JSON body of a request: read from its bytes by the server, then checked against an endpoint's schema. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect } from 'chai'
import fc from 'fast-check'
import Koa from 'koa'
import { checkBody } from '#core/endpoints/body/validate-body'
import { createTransport } from '#core/server/koa-transport'
import { createBufferBudget, RequestBuffers } from '#flow/buffer-budget'
import { endpointOf } from '../../support/endpoints.ts'
import { damaged, inReads, jsonOf, refusesWith } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

const ids = ['chatComplete', 'embed', 'messages', 'createModelResponse'] as const
const maxBytes = 2000
const names = [
  ...['model', 'messages', 'role', 'content', 'type', 'text', 'input', 'tools', 'function', 'tool_calls'],
  ...['stop', 'stream', 'n', 'temperature', 'max_tokens', 'response_format', 'thinking'],
]
const values = fc.constantFrom<unknown>(
  'm',
  'user',
  'assistant',
  'tool',
  'text',
  'image_url',
  'json_schema',
  1,
)
const written = damaged(jsonOf(names, values, 6).map((value) => JSON.stringify(value)))
const deep = fc.nat(600).map((depth) => `${'{"a":'.repeat(depth)}[]${'}'.repeat(depth)}`)
const bytes = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.oneof({ weight: 8, arbitrary: written }, deep).map((text) => Buffer.from(text)),
  },
  fc.uint8Array({ maxLength: 40 }).map((some) => Buffer.from(some)),
)

const app = new Koa()
const unlimited = { settings: { file: { server: { max_buffered_bytes: null } } } }
const budget = createBufferBudget(unlimited, Number.POSITIVE_INFINITY)

function requestOf(body: Buffer, sizes: readonly number[], encoding: string) {
  const request = new IncomingMessage(new Socket())
  request.method = 'POST'
  request.url = '/'
  request.headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  if (encoding !== '') request.headers['content-encoding'] = encoding
  for (const read of inReads(body, sizes)) request.push(read)
  request.push(null)
  request.complete = true
  return app.createContext(request, new ServerResponse(request))
}

export const jsonBody = defineTarget({
  name: 'json-body',
  input: fc.record({
    body: bytes,
    id: fc.constantFrom(...ids),
    sizes: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 }),
    encoding: fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      fc.constantFrom('gzip', 'br', 'deflate', 'none'),
    ),
  }),
  async read({ body, id, sizes, encoding }) {
    const options = { buffers: new RequestBuffers(budget), addressOf: () => '' }
    const transport = createTransport(requestOf(body, sizes, encoding), options)
    const read = await transport.readJson({ maxBytes })
    checkBody(endpointOf(id), read.body, read.sizeBytes)
    return read.body
  },
  mayThrow: refusesWith('invalid_json', 'invalid_body', 'body_too_large', 'unsupported_media_type'),
  check(read, { body, encoding }) {
    if (encoding === '') expect(read).to.deep.equal(JSON.parse(body.toString('utf8')))
    expect(read).to.be.an('object')
  },
})
