/** The web console at /console: static files that call the public management API from the browser. */
import {
  defineService,
  GatewayError,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
} from '@gateway/contract'
import { openAssets } from '@gateway/plugin-kit/assets'
import { openPage } from './page.ts'

const assetPath = '/console/assets/'

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

export default defineService({
  name: 'console',
  title: 'Console',
  needs: [],
  open() {
    const findAsset = openAssets(new URL('./assets/', import.meta.url))
    const renderPage = openPage(new URL('./assets.json', import.meta.url))
    const answerPage = async ({ path }: ServiceRequest): Promise<ServiceAnswer> => {
      const { text, headers } = renderPage(path)
      return { status: 200, headers, body: { text } }
    }
    const answerAsset = async ({ path, headers }: ServiceRequest): Promise<ServiceAnswer> => {
      const asset = findAsset(path.slice(assetPath.length), headers['accept-encoding'] ?? '')
      if (asset === null) throw new GatewayError('not_found', 'The console has no such file.')
      return { status: 200, headers: asset.headers, body: { stream: once(asset.bytes) } }
    }
    const route = (said: Pick<Route, 'path' | 'operationId' | 'summary' | 'handle' | 'media'>): Route => ({
      method: 'GET',
      tag: 'Console',
      scope: 'public',
      listener: 'admin',
      // No method requires a key: methods other than GET get a 405.
      authenticates: true,
      ...said,
    })
    return {
      routes: [
        route({
          path: '/console',
          operationId: 'getConsole',
          summary: 'Serves the web console',
          media: { answer: ['text/html'] },
          handle: answerPage,
        }),
        route({
          path: '/console/assets/*rest',
          operationId: 'getConsoleAsset',
          summary: 'Serves a script or a style sheet of the console',
          media: { answer: ['text/javascript', 'text/css'] },
          handle: answerAsset,
        }),
        route({
          path: '/console/*rest',
          operationId: 'getConsolePage',
          summary: 'Serves a page of the console',
          media: { answer: ['text/html'] },
          handle: answerPage,
        }),
      ],
    }
  },
})
