/**
 * Type-checks the console's pages against the API and bundles them into `dist/assets`: files named by a hash of their
 * content, compressed once here instead of for each request, and `dist/assets.json`, which lists the files that the
 * page loads. https://esbuild.github.io/api/
 */
import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build as bundle } from 'esbuild'
import { compile } from '../../core/cli/bin/compile.js'
import { compressAll } from '../kit/compress-assets.js'
import { writeApiTypes } from './api-types.js'

/** Without a type check, errors in the pages go unnoticed. */
export async function build({ hasTypeCheck = true } = {}) {
  const folder = import.meta.dirname
  if (hasTypeCheck) await checkTypes(folder)
  const assets = join(folder, 'dist', 'assets')
  rmSync(assets, { recursive: true, force: true })
  const { metafile } = await bundle({
    absWorkingDir: folder,
    entryPoints: ['web/main.tsx', 'web/style.css'],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The published schema of configs, from which the editor completes.
    alias: { 'config-schema': '../../config/routing.schema.json' },
  })
  const builtFrom = (source) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source)
    return basename(found[0])
  }
  compressAll(assets)
  const manifest = { script: builtFrom('web/main.tsx'), style: builtFrom('web/style.css') }
  writeFileSync(join(folder, 'dist', 'assets.json'), JSON.stringify(manifest))
}

async function checkTypes(folder) {
  await writeApiTypes(join(folder, 'dist', 'api.d.ts'))
  if (!compile([join(folder, 'web')])) throw new Error('The pages of the console do not compile.')
}
