/** The OpenAPI document of every route, the documentation with the API reference at /docs, and the page at /. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  defineService,
  GatewayError,
  isObject,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
} from '@gateway/contract'
import { openAssets } from '@gateway/plugin-kit/assets'
import { Type } from '@sinclair/typebox'
import { buildDocument } from './document.ts'
import { landingPolicy, linksOf, renderLanding } from './landing.ts'
import { assetPath, openPage } from './page.ts'
import { openSite, sitePath } from './site.ts'

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

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

const wantsPage = ({ headers }: ServiceRequest) => (headers.accept ?? '').includes('text/html')

const jsonHeaders = { 'content-type': 'application/json' }

/** `/` answers browsers and programs differently. */
const byAccept = { vary: 'accept' }

const landingHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': landingPolicy,
  'referrer-policy': 'no-referrer',
}

function versionOfPackage(): string {
  const read: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return isObject(read) && typeof read.version === 'string' ? read.version : '0.0.0'
}

type Described = Pick<Route, 'path' | 'operationId' | 'summary'> & Partial<Route>

const declared = {
  document: {
    path: '/v1/openapi.json',
    aliases: ['/openapi.json'],
    operationId: 'getOpenapi',
    summary: 'Returns the OpenAPI 3.1 document of every route',
    answer: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
  },
  landing: {
    path: '/',
    operationId: 'getLandingPage',
    summary: 'Serves links to the API reference and the console',
    description:
      'A page for clients that accept `text/html`; for others `{"object": "gateway", "links": {…}}`.',
    answer: Type.Object({
      object: Type.Literal('gateway'),
      links: Type.Object({}, { additionalProperties: true }),
    }),
    media: { answer: ['application/json', 'text/html'] },
  },
  docs: {
    path: '/docs',
    operationId: 'getDocs',
    summary: 'Redirects to the documentation',
    otherAnswers: { 302: Type.Null() },
  },
  reference: {
    path: '/docs/reference',
    operationId: 'getApiReference',
    summary: 'Serves the API reference as a page',
    media: { answer: ['text/html'] },
  },
  asset: {
    path: `${assetPath}*rest`,
    operationId: 'getDocsAsset',
    summary: 'Serves a script or a style sheet of the API reference',
    media: { answer: ['text/javascript', 'text/css'] },
  },
  page: {
    path: `${sitePath}*rest`,
    operationId: 'getDocsPage',
    summary: 'Serves a page of the documentation',
    description:
      'The list of pages for language models is `llms.txt`; `llms-full.txt` has the text of all of them.',
    media: {
      answer: ['text/html', 'text/plain', 'text/css', 'text/javascript', 'image/webp', 'application/json'],
    },
    answer: Type.Array(Type.Array(Type.String()), { description: 'The search index.' }),
  },
} satisfies Record<string, Described>

const route = (described: Described, handle: Route['handle']): Route => ({
  method: 'GET',
  tag: 'Description',
  scope: 'public',
  listener: 'admin',
  ...described,
  handle,
})

/** The document and the landing page, in the form for browsers and the one for programs. */
function generate(routes: Parameters<typeof buildDocument>[0]) {
  const document = buildDocument(routes, versionOfPackage())
  const links = linksOf(routes.some(({ path }) => path === '/console'))
  return {
    document: serve(JSON.stringify(document), jsonHeaders),
    landing: serve(renderLanding(links), { ...landingHeaders, ...byAccept }),
    links: serve(JSON.stringify({ object: 'gateway', links }), { ...jsonHeaders, ...byAccept }),
  }
}

const redirectToDocs: Route['handle'] = async () => ({
  status: 302,
  headers: { location: '/docs/index.html' },
  body: { text: '' },
})

function assetHandler(): Route['handle'] {
  const findAsset = openAssets(new URL('./assets/', import.meta.url))
  return async ({ path, headers }) => {
    const asset = findAsset(path.slice(assetPath.length), headers['accept-encoding'] ?? '')
    if (asset === null) throw new GatewayError('not_found', 'The API reference has no such file.')
    return { status: 200, headers: asset.headers, body: { stream: once(asset.bytes) } }
  }
}

function pageHandler(): Route['handle'] {
  const findPage = openSite(new URL('./site/', import.meta.url))
  return async ({ path }) => {
    const page = await findPage(path.slice(sitePath.length))
    if (page === null) throw new GatewayError('not_found', 'The documentation has no such page.')
    return { status: 200, headers: page.headers, body: { stream: once(page.bytes) } }
  }
}

export default defineService({
  name: 'openapi',
  title: 'OpenAPI',
  needs: ['routes'],
  open({ routes }) {
    let made: ReturnType<typeof generate> | null = null
    // Generated on the first request: routes are complete once every service is open, and never change after that.
    const get = () => {
      made ??= generate(routes())
      return made
    }
    const renderPage = openPage(new URL('./assets.json', import.meta.url))
    return {
      routes: [
        route(declared.document, async (request) => answer(get().document, request)),
        route(declared.landing, async (request) => {
          const { landing, links } = get()
          return answer(wantsPage(request) ? landing : links, request)
        }),
        route(declared.docs, redirectToDocs),
        route(declared.reference, async () => {
          const { text, headers } = renderPage()
          return { status: 200, headers, body: { text } }
        }),
        route(declared.asset, assetHandler()),
        route(declared.page, pageHandler()),
      ],
    }
  },
})
