/**
 * `npm run console:dev [-- GATEWAY]`: the console with hot reload, in front of a running gateway (default:
 * http://127.0.0.1:8787). Files of `web/` are bundled again when they change, and the browser reloads the page. The
 * page's state survives, because it is in the address and the session is in a cookie. Styles are replaced without a
 * reload. All other requests go to the gateway.
 */
import { request as call, createServer } from 'node:http'
import { context } from 'esbuild'
import { bundleOptions } from './build.js'
import { devFiles } from './dev-files.js'

const port = Number(process.env.PORT ?? 8788)
const gateway = new URL(process.argv[2] ?? 'http://127.0.0.1:8787')
const eventsPath = '/console/assets/events'
const assetPath = '/console/assets/'

const files = devFiles()

const bundler = await context({
  ...bundleOptions,
  entryPoints: ['web/style.css'],
  stdin: {
    contents: `import './main.tsx'
      import { listen } from '../dev-reload.js'
      listen('${eventsPath}', import.meta.url)`,
    resolveDir: `${import.meta.dirname}/web`,
    sourcefile: 'main.js',
  },
  entryNames: '[name]',
  minify: false,
  sourcemap: 'inline',
  // Files are served from memory, so those of the build stay unchanged.
  write: false,
  logLevel: 'info',
  plugins: [
    {
      name: 'serve',
      setup(build) {
        // After a failed build, the files of the previous one stay.
        build.onEnd(({ errors, outputFiles }) => {
          if (errors.length === 0) files.built(outputFiles)
        })
      },
    },
  ],
})
// A page that is requested before the first build has ended would have no script. Its errors are printed.
await bundler.rebuild().catch(() => undefined)
await bundler.watch()

/**
 * Returns the gateway's page with the files of this bundle. The address of the script contains the build that the page
 * has.
 */
const withOwnFiles = (html) =>
  html
    .replace(/assets\/main-\w+\.js/, `assets/stdin.js?${files.version}`)
    .replace(/assets\/style-\w+\.css/, 'assets/style.css')

function forward(request, response) {
  const { 'accept-encoding': _, ...headers } = request.headers
  const sent = call(gateway.origin + request.url, { method: request.method, headers }, (answer) => {
    const isPage = String(answer.headers['content-type']).startsWith('text/html')
    if (!isPage) {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
      return
    }
    const chunks = []
    answer.on('data', (chunk) => chunks.push(chunk))
    answer.on('end', () => {
      const { 'content-length': __, ...others } = answer.headers
      response.writeHead(answer.statusCode, others)
      response.end(withOwnFiles(Buffer.concat(chunks).toString('utf8')))
    })
  })
  sent.on('error', ({ message }) => {
    response.writeHead(502, { 'content-type': 'text/plain' })
    response.end(`${gateway.origin} cannot be reached: ${message}. Start a gateway, or name its address.`)
  })
  response.on('close', () => sent.destroy())
  request.pipe(sent)
}

createServer((request, response) => {
  const [path, query = ''] = request.url.split('?', 2)
  if (path === eventsPath) files.listen(request.headers['last-event-id'] ?? query, response)
  else if (path.startsWith(assetPath)) files.send(path.slice(assetPath.length), response)
  else forward(request, response)
}).listen(port, '127.0.0.1', () => {
  console.log(`The console is at http://127.0.0.1:${port}/console, in front of ${gateway.origin}.`)
})
