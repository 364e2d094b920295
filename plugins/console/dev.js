/**
 * `npm run console:dev [-- GATEWAY]`: the console with hot reload, in front of a gateway that runs (default:
 * http://127.0.0.1:8787). Files of `web/` are bundled again when they change, and the browser loads the page again; what
 * it shows is in its address, and the session in a cookie, so that both stay. Styles are exchanged without that.
 * Everything else is the gateway's.
 * https://esbuild.github.io/api/#live-reload
 */
import { request as call, createServer } from 'node:http'
import { context } from 'esbuild'
import { bundleOptions } from './build.js'

const port = Number(process.env.PORT ?? 8788)
const gateway = new URL(process.argv[2] ?? 'http://127.0.0.1:8787')

const bundler = await context({
  ...bundleOptions,
  entryPoints: ['web/style.css'],
  stdin: {
    contents: `import './main.tsx'
      new EventSource('/esbuild').addEventListener('change', ({ data }) => {
        const { added, removed, updated } = JSON.parse(data)
        const [style] = updated
        // Styles alone are exchanged in place: what is typed into a form stays.
        if (added.length + removed.length > 0 || updated.length !== 1 || !style.endsWith('.css'))
          return location.reload()
        for (const link of document.querySelectorAll('link[rel=stylesheet]')) {
          const next = link.cloneNode()
          next.href = link.href.split('?')[0] + '?' + Date.now()
          next.onload = () => link.remove()
          link.after(next)
        }
      })`,
    resolveDir: `${import.meta.dirname}/web`,
    sourcefile: 'main.js',
  },
  entryNames: '[name]',
  minify: false,
  sourcemap: 'inline',
  // Served from memory: the files of the build stay.
  write: false,
  logLevel: 'info',
})
await bundler.watch()
const assets = await bundler.serve({ host: '127.0.0.1', port: 0 })

const assetPath = '/console/assets/'

/** Where a request goes: the bundler's files and events, or the gateway. */
function targetOf(path) {
  if (path === '/esbuild') return { origin: `http://127.0.0.1:${assets.port}`, path }
  if (path.startsWith(assetPath))
    return { origin: `http://127.0.0.1:${assets.port}`, path: `/${path.slice(assetPath.length)}` }
  return { origin: gateway.origin, path }
}

/** The gateway's page, with the files of this bundle. */
const withOwnFiles = (html) =>
  html
    .replace(/assets\/main-\w+\.js/, 'assets/stdin.js')
    .replace(/assets\/style-\w+\.css/, 'assets/style.css')

createServer((request, response) => {
  const { origin, path } = targetOf(request.url)
  const { 'accept-encoding': _, ...headers } = request.headers
  const sent = call(origin + path, { method: request.method, headers }, (answer) => {
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
    response.end(`${origin} cannot be reached: ${message}. Start a gateway, or name its address.`)
  })
  response.on('close', () => sent.destroy())
  request.pipe(sent)
}).listen(port, '127.0.0.1', () => {
  console.log(`The console is at http://127.0.0.1:${port}/console, in front of ${gateway.origin}.`)
})
