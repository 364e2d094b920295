/**
 * Type-checks the console's pages against the API and bundles them into `dist/assets`: files named by a hash of their
 * content, compressed once here instead of for each request, and `dist/assets.json`, which lists the files that the
 * page loads. https://esbuild.github.io/api/
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build as bundle } from 'esbuild'
import { compile } from '../../core/cli/bin/compile.js'
import { compressAll } from '../kit/compress-assets.js'
import { writeApiTypes } from './api-types.js'
import { mergeFirstPage } from './first-page.js'

const folder = import.meta.dirname
const assets = join(folder, 'dist', 'assets')

/** The bundler's options for the pages, for the build and for hot reload. */
export const bundleOptions = {
  absWorkingDir: folder,
  entryPoints: ['web/main.tsx', 'web/style.css'],
  outdir: assets,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'error',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  // The published schema of configs, which the editor uses for completion.
  alias: { 'config-schema': '../../config/routing.schema.json' },
}

/** Without a type check, errors in the pages go unnoticed. */
export async function build({ hasTypeCheck = true } = {}) {
  if (hasTypeCheck) await checkTypes(folder)
  rmSync(assets, { recursive: true, force: true })
  const { metafile } = await bundle({ ...bundleOptions, minify: true, metafile: true })
  const builtFrom = (source) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source)
    return basename(found[0])
  }
  await mergeFirstPage(assets, named(metafile.outputs), builtFrom('web/main.tsx'))
  const script = renamed(assets, builtFrom('web/main.tsx'))
  compressAll(assets)
  const manifest = { script, style: builtFrom('web/style.css') }
  writeFileSync(join(folder, 'dist', 'assets.json'), JSON.stringify(manifest))
}

/** Lists outputs by file name instead of path. */
const named = (outputs) =>
  Object.fromEntries(
    Object.entries(outputs).map(([path, { imports, exports }]) => [
      basename(path),
      { exports, imports: imports.map((one) => ({ ...one, path: basename(one.path) })) },
    ]),
  )

/** Renames a file by a hash of its current content. */
function renamed(folder, name) {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')
    .slice(0, 8)
    .toUpperCase()
  const next = `main-${hash}.js`
  renameSync(join(folder, name), join(folder, next))
  return next
}

async function checkTypes(folder) {
  await writeApiTypes(join(folder, 'dist', 'api.d.ts'))
  if (!compile([join(folder, 'web')])) throw new Error('The pages of the console do not compile.')
}
