/** What is served, described by itself: the OpenAPI document, and a page to read it. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  GatewayError,
  isObject,
  type Route,
  type ServiceAnswer,
  type ServicePlugin,
  type ServiceRequest,
} from '@gateway/contract'
import { buildDocument } from './document.ts'
import { renderLanding } from './landing.ts'
import { pagePolicy, renderPage } from './page.ts'

export { buildDocument } from './document.ts'

interface Served {
  text: string
  headers: Record<string, string>
}

const serve = (text: string, headers: Record<string, string>): Served => ({
  text,
  headers: {
    ...headers,
    etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  },
})

function answer({ text, headers }: Served, request: ServiceRequest): ServiceAnswer {
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  const { etag = '' } = headers
  return known.includes(etag) || known.includes('*')
    ? { status: 304, headers, body: { text: '' } }
    : { status: 200, headers, body: { text } }
}

const wantsPage = ({ headers }: ServiceRequest) => (headers.accept ?? '').includes('text/html')

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy,
  'referrer-policy': 'no-referrer',
}

function versionOfPackage(): string {
  const read: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return isObject(read) && typeof read.version === 'string' ? read.version : '0.0.0'
}

const openapi: ServicePlugin = {
  name: 'openapi',
  title: 'OpenAPI',
  open({ routes }) {
    let made: { document: Served; page: Served; landing: Served } | null = null
    // Of all services: they are only known once every one is open, and then never change.
    const get = () => {
      if (made === null) {
        const document = buildDocument(routes(), versionOfPackage())
        made = {
          document: serve(JSON.stringify(document), { 'content-type': 'application/json' }),
          page: serve(renderPage(document), pageHeaders),
          landing: serve(renderLanding(routes().some(({ path }) => path === '/console')), pageHeaders),
        }
      }
      return made
    }
    const route = (said: Pick<Route, 'path' | 'operationId' | 'summary'> & Partial<Route>): Route => ({
      method: 'GET',
      tag: 'Description',
      scope: 'public',
      listener: 'admin',
      handle: async (request) => answer(get().document, request),
      ...said,
    })
    return {
      routes: [
        route({
          path: '/v1/openapi.json',
          aliases: ['/openapi.json'],
          operationId: 'getOpenapi',
          summary: 'The OpenAPI 3.1 document of everything that is served',
        }),
        route({
          path: '/',
          operationId: 'getLandingPage',
          summary: 'A page with links to the API reference and the console',
          media: { answer: ['text/html'] },
          handle: async (request) => {
            // For programs there is nothing here.
            if (!wantsPage(request)) throw new GatewayError('not_found', 'There is no such route.')
            return answer(get().landing, request)
          },
        }),
        route({
          path: '/docs',
          operationId: 'getDocs',
          summary: 'The same as a page to read',
          media: { answer: ['text/html'] },
          handle: async (request) => answer(get().page, request),
        }),
      ],
    }
  },
}

export default openapi
