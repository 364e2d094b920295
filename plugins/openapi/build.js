/**
 * Builds the files of the API reference into `dist/assets`: Swagger UI's bundle and style sheet unchanged, and our own
 * script and style. File names contain a hash of the content; `dist/assets.json` lists the files of the page in order.
 * The documentation is built into `dist/site`.
 * https://swagger.io/docs/open-source-tools/swagger-ui/usage/installation/
 */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { build as bundle } from 'esbuild'
import { buildSite } from '../../docs/site/build.js'
import { compressAll } from '../kit/compress-assets.js'

const folder = import.meta.dirname
const assets = join(folder, 'dist', 'assets')
const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

export async function build() {
  const { outputFiles } = await bundle({
    absWorkingDir: folder,
    entryPoints: ['web/reference.ts', 'web/reference.css'],
    outdir: assets,
    write: false,
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
  })
  const ours = (extension) => outputFiles.find(({ path }) => path.endsWith(extension)).contents
  const files = [
    ['swagger-ui.css', readFileSync(join(swagger, 'swagger-ui.css'))],
    ['reference.css', ours('.css')],
    ['swagger-ui-bundle.js', readFileSync(join(swagger, 'swagger-ui-bundle.js'))],
    ['reference.js', ours('.js')],
  ].map(([name, bytes]) => ({ name: hashed(name, bytes), bytes: withoutSourceMap(bytes) }))
  // Compressing Swagger UI takes seconds. An existing file has the same content, because its name contains the hash.
  if (files.some(({ name }) => !existsSync(join(assets, `${name}.gz`)))) {
    rmSync(assets, { recursive: true, force: true })
    mkdirSync(assets, { recursive: true })
    for (const { name, bytes } of files) writeFileSync(join(assets, name), bytes)
    compressAll(assets)
  }
  buildSite(join(folder, 'dist', 'site'))
  for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'])
    copyFileSync(join(swagger, name), join(folder, 'dist', `swagger-ui.${name.replace('swagger-ui-', '')}`))
  writeFileSync(join(folder, 'dist', 'assets.json'), JSON.stringify(files.map(({ name }) => name)))
}

function hashed(name, bytes) {
  const extension = extname(name)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
  return `${name.slice(0, -extension.length)}-${hash}${extension}`
}

/** The source maps are not served, so browsers must not request them. */
const withoutSourceMap = (bytes) =>
  Buffer.from(bytes)
    .toString('utf8')
    .replace(/\n?(\/\/|\/\*)# sourceMappingURL=.*$/m, '')
