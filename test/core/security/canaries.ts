/** Unique credentials, and servers that echo their requests. */
import { chatEvents, type Handler, sendJson } from '../../support/upstream.ts'

export const canaries = {
  admin: 'canary-admin-0123456789',
  key: 'canary-key-0123456789',
  wrongKey: 'canary-wrong-0123456789',
  stored: 'canary-stored-0123456789',
  environment: 'canary-environment-0123456789',
  config: 'canary-config-0123456789',
  authorization: 'canary-authorization-0123456789',
  bare: 'canary-bare-0123456789',
  cloud: 'canary-cloud-0123456789',
  webhook: 'canary-webhook-0123456789',
  plugin: 'canary-plugin-0123456789',
  cookie: 'canary-cookie-0123456789',
}

/** A provider whose error contains its own credential, in an answer and in a stream. */
export const crashing = `
const fault = (settings) =>
  new TypeError('cannot use ' + settings.api_key, { cause: new Error('because of ' + settings.api_key) })
async function* stumble(settings) {
  yield { choices: [{ index: 0, delta: { content: 'hello' }, finish_reason: null }] }
  throw fault(settings)
}
const run = async (body, { settings }) => {
  if (body.stream !== true) throw fault(settings)
  return { status: 200, headers: {}, body: null, stream: stumble(settings) }
}
export default {
  name: 'crashing', title: 'Crashing', docs: 'none', baseUrl: null, credential: 'optional',
  auth: (request) => request, endpoints: { chatComplete: { kind: 'procedure', run } },
}`

/** The whole request, in an error's message, in its code, and in headers. */
export const echoes =
  (status: number): Handler =>
  (request, response) => {
    const all = `${JSON.stringify(request.headers)} ${request.text}`
    const error = { message: all, type: `t ${all}`, code: `c ${all}`, param: `p ${all}` }
    sendJson(
      response,
      {
        status,
        headers: {
          'x-echo': String(request.headers.authorization),
          'www-authenticate': `Bearer ${request.headers.authorization}`,
        },
      },
      { error },
    )
  }

export const echoesInStream =
  (events: number): Handler =>
  (request, response) => {
    const error = {
      error: { message: `bad ${request.headers.authorization}`, code: String(request.headers.authorization) },
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${chatEvents('hello', 'you').slice(0, events).join('')}data: ${JSON.stringify(error)}\n\n`)
  }
