/** Cases of the checks with network access, with a scripted network: log, validUrls, inlineImageUrls. */
import { type CheckIo, GatewayError, type JsonObject } from '@gateway/contract'
import { type CheckCase, casesOf } from '@gateway/testing'
import { answers, model } from './bodies.ts'

const taking = (status: number): Partial<CheckIo> => ({
  fetchJson: () => Promise.resolve({ status, headers: {}, json: null }),
})
const logging = { logURL: 'https://log.example/v1' }

const log = casesOf(
  'log',
  [
    {
      name: 'passes when the endpoint took it',
      text: 'fine',
      io: taking(204),
      verdict: true,
      data: { status: 204 },
    },
    { name: 'fails as an error on a status that is not 2xx', io: taking(500), error: '500' },
    {
      name: 'fails as an error when the call fails',
      io: { fetchJson: () => Promise.reject(new Error('timed out')) },
      error: 'timed out',
    },
    { name: 'refuses what is not a URL', parameters: { logURL: 'https://' }, error: 'logURL' },
    { name: 'refuses other protocols', parameters: { logURL: 'ftp://a.example' }, error: '/logURL' },
    {
      name: 'refuses a header that would break the request',
      parameters: { ...logging, headers: { 'x-key': 'a\nb' } },
      error: '/headers/x-key',
    },
    { name: 'refuses a timeout of nothing', parameters: { ...logging, timeout: 0 }, error: '/timeout' },
  ],
  { parameters: logging },
)

/** Statuses by URL; others cannot be reached, or may not be. */
const web: Record<string, number | 'host_not_allowed'> = {
  'https://good.example/a': 200,
  'https://good.example/a_(b)': 200,
  'https://moved.example/': 301,
  'https://shy.example/': 403,
  'https://gone.example/': 404,
  'https://broken.example/': 503,
  'http://10.0.0.1/': 'host_not_allowed',
}
const internet: Partial<CheckIo> = {
  fetch({ method, url }) {
    const status = method === 'HEAD' ? web[url] : undefined
    if (typeof status === 'number') return Promise.resolve({ status, headers: {}, bytes: Buffer.alloc(0) })
    return Promise.reject(new GatewayError(status ?? 'dependency_unavailable', 'no'))
  },
  resolves: (hostname) => Promise.resolve(hostname === 'good.example'),
}
const onlyDNS = { onlyDNS: true }
const many = Array.from({ length: 101 }, (_, index) => `https://good.example/${index}`).join(' ')

const validUrls = casesOf(
  'validUrls',
  [
    {
      name: 'passes a URL that answers',
      text: 'See https://good.example/a.',
      verdict: true,
      data: { urls: 1, invalid: [] },
    },
    {
      name: 'passes in Markdown, brackets and quotes',
      text: '[a](https://good.example/a) (https://good.example/a) "https://good.example/a_(b)"',
      verdict: true,
      data: { urls: 2, invalid: [] },
    },
    {
      name: 'passes a redirect, and a URL that refuses access',
      text: 'https://moved.example/ https://shy.example/',
      verdict: true,
    },
    { name: 'passes without URLs', text: 'nothing', verdict: true },
    {
      name: 'fails a URL that does not exist, and reports its position',
      text: 'At https://gone.example/ it is',
      verdict: false,
      data: { urls: 1, invalid: [{ path: '/choices/0/message/content', start: 3, problem: 'status_404' }] },
    },
    { name: 'fails a host that fails', text: 'https://broken.example/', verdict: false },
    {
      name: 'fails a host that cannot be reached',
      text: 'https://nowhere.example/',
      verdict: false,
      data: { urls: 1, invalid: [{ path: '/choices/0/message/content', start: 0, problem: 'unreachable' }] },
    },
    {
      name: 'fails a private address',
      text: 'http://10.0.0.1/',
      verdict: false,
      data: {
        urls: 1,
        invalid: [{ path: '/choices/0/message/content', start: 0, problem: 'host_not_allowed' }],
      },
    },
    { name: 'fails text that is not a URL', text: 'https://:99999', verdict: false },
    {
      name: 'looks at every choice',
      phase: 'after',
      response: answers('https://good.example/a', 'https://gone.example/'),
      verdict: false,
    },
    {
      name: 'not: fails when all are valid',
      parameters: { not: true },
      text: 'https://good.example/a',
      verdict: false,
    },
    {
      name: 'not: passes when one is not',
      parameters: { not: true },
      text: 'https://gone.example/',
      verdict: true,
    },
    {
      name: 'onlyDNS: passes a host that has an address',
      parameters: onlyDNS,
      text: 'https://good.example/nothing',
      verdict: true,
    },
    {
      name: 'onlyDNS: fails a host that has none',
      parameters: onlyDNS,
      text: 'https://shy.example/',
      verdict: false,
      data: { urls: 1, invalid: [{ path: '/choices/0/message/content', start: 0, problem: 'host_unknown' }] },
    },
    { name: 'fails as an error on too many', text: many, error: 'more than 100' },
  ],
  { io: internet },
)

const png = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1')
const pages: Record<string, { status?: number; type?: string; bytes: Buffer }> = {
  'https://images.example/a.png': { bytes: png },
  'https://images.example/named': { type: 'image/x-icon; a=b', bytes: Buffer.from('icon') },
  'https://images.example/page': { type: 'text/html', bytes: Buffer.from('<html>') },
  'https://images.example/gone': { status: 404, bytes: png },
}
const gallery: Partial<CheckIo> = {
  fetch({ url, maxBytes = 0 }) {
    const page = pages[url]
    if (page === undefined || page.bytes.length > maxBytes)
      return Promise.reject(
        new GatewayError(url.includes('private') ? 'host_not_allowed' : 'dependency_unavailable', 'no'),
      )
    const { status = 200, type, bytes } = page
    return Promise.resolve({ status, headers: type === undefined ? {} : { 'content-type': type }, bytes })
  },
}
const base64 = png.toString('base64')
const data = `data:image/png;base64,${base64}`
const url = 'https://images.example/a.png'
const chat = (...urls: string[]): JsonObject => ({
  model,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        ...urls.map((one) => ({ type: 'image_url', image_url: { url: one, detail: 'low' } })),
      ],
    },
  ],
})
const failing = (one: string, problem: string) => ({
  request: chat(one),
  verdict: true,
  transformedText: null,
  data: { inlined: 0, failed: [{ path: '/messages/0/content/1', problem }] },
})

const inlineImageUrls = casesOf(
  'inlineImageUrls',
  [
    {
      name: 'puts an image of a chat in the place of its URL',
      request: chat(url),
      verdict: true,
      transformed: chat(data),
      data: { inlined: 1, failed: [] },
    },
    {
      name: 'takes the type that the host names where the bytes say nothing',
      request: chat('https://images.example/named'),
      verdict: true,
      transformed: chat(`data:image/x-icon;base64,${Buffer.from('icon').toString('base64')}`),
    },
    {
      name: 'does not change data URLs',
      request: chat(data),
      verdict: true,
      transformedText: null,
      data: { inlined: 0, failed: [] },
    },
    { name: 'does not change URLs in texts', text: url, verdict: true, transformedText: null },
    {
      name: 'puts an image of messages in the place of its source, in results of tools too',
      endpoint: 'messages',
      request: {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', content: [{ type: 'image', source: { type: 'url', url } }] }],
          },
        ],
      },
      verdict: true,
      transformed: {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                content: [
                  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
                ],
              },
            ],
          },
        ],
      },
    },
    {
      name: 'puts an image of responses in the place of its URL, in what functions gave back too',
      endpoint: 'createModelResponse',
      request: {
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: url }] },
          { type: 'function_call_output', output: [{ type: 'input_image', image_url: url }] },
        ],
      },
      verdict: true,
      transformed: {
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: data }] },
          { type: 'function_call_output', output: [{ type: 'input_image', image_url: data }] },
        ],
      },
      data: { inlined: 2, failed: [] },
    },
    {
      name: 'providers: does it for their targets',
      parameters: { providers: ['bedrock'] },
      provider: 'bedrock',
      request: chat(url),
      verdict: true,
      transformed: chat(data),
    },
    {
      name: 'providers: does not change others',
      parameters: { providers: ['bedrock'] },
      provider: 'openai',
      request: chat(url),
      verdict: true,
      transformedText: null,
    },
    {
      name: 'providers: does nothing before one was chosen',
      parameters: { providers: ['bedrock'] },
      request: chat(url),
      verdict: true,
      transformedText: null,
    },
    {
      name: 'maxSizeBytes: takes an image of that size',
      parameters: { maxSizeBytes: png.length },
      request: chat(url),
      verdict: true,
      transformed: chat(data),
    },
    {
      name: 'maxSizeBytes: leaves a larger one where it is',
      parameters: { maxSizeBytes: png.length - 1 },
      ...failing(url, 'unavailable'),
    },
    {
      name: 'maxSizeBytes: counts all images together',
      parameters: { maxSizeBytes: png.length + 4 },
      request: chat(url, 'https://images.example/named', 'https://images.example/page'),
      verdict: true,
      data: { inlined: 2, failed: [{ path: '/messages/0/content/3', problem: 'not_an_image' }] },
    },
    { name: 'keeps a URL that is not an image', ...failing('https://images.example/page', 'not_an_image') },
    { name: 'keeps a URL that does not exist', ...failing('https://images.example/gone', 'status_404') },
    { name: 'leaves what cannot be reached', ...failing('https://elsewhere.example/', 'unavailable') },
    { name: 'keeps a private URL', ...failing('https://private.example/', 'host_not_allowed') },
    {
      name: 'failOnError: passes when all are there',
      parameters: { failOnError: true },
      request: chat(url),
      verdict: true,
    },
    {
      name: 'failOnError: fails when one is not, and puts in the others',
      parameters: { failOnError: true },
      request: chat(url, 'https://images.example/gone'),
      verdict: false,
      transformed: chat(data, 'https://images.example/gone'),
    },
    {
      name: 'timeoutMs: does not wait longer',
      parameters: { timeoutMs: 50 },
      ...failing(url, 'timeout'),
      io: slowly(50),
    },
    {
      name: 'timeoutMs: inlines an image that arrives in time',
      parameters: { timeoutMs: 50 },
      request: chat(url),
      verdict: true,
      transformed: chat(data),
      io: slowly(0),
    },
    { name: 'refuses a size of nothing', parameters: { maxSizeBytes: 0 }, error: '/maxSizeBytes' },
    { name: 'refuses a time of nothing', parameters: { timeoutMs: 0 }, error: '/timeoutMs' },
  ],
  { io: gallery },
)

/** A gallery that takes this long, by its own clock. */
function slowly(delayMs: number): Partial<CheckIo> {
  let now = 0
  return {
    now: () => now,
    fetch(request) {
      now += delayMs
      if (delayMs < (request.timeoutMs ?? 0))
        return gallery.fetch?.(request) ?? Promise.reject(new Error('no'))
      return Promise.reject(new GatewayError('dependency_unavailable', 'late'))
    },
  }
}

export const rows: readonly CheckCase[] = [...log, ...validUrls, ...inlineImageUrls]
