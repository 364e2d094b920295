/**
 * Turns the sources of packages into modules without checking their types, for the first start of a checkout: a tenth of
 * the compiler's work. Compiling later replaces the modules and adds the types. https://esbuild.github.io/api/
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { templates } from './freshness.js'

const notSources = new Set(['dist', 'node_modules'])

/** The sources of a package. Folders with a tsconfig.json are packages or pages, which are built separately. */
export function sourcesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isFile()) return /(?<!\.d)\.ts$/.test(entry.name) ? [path] : []
    if (!entry.isDirectory() || notSources.has(entry.name) || path === templates) return []
    return readdirSync(path).includes('tsconfig.json') ? [] : sourcesIn(path)
  })
}

/** Does the same as TypeScript's rewriteRelativeImportExtensions. */
const relativeImport = /((?:\bfrom|\bimport)\s*\(?\s*")(\.\.?\/[^"]*)\.ts(?=")/g

/** Whether all sources are valid; errors are printed. */
export async function transpile(folders) {
  try {
    await Promise.all(folders.map(transpilePackage))
    return true
  } catch (error) {
    if (Array.isArray(error.errors)) return false
    throw error
  }
}

async function transpilePackage(folder) {
  const { outputFiles } = await build({
    entryPoints: sourcesIn(folder),
    outdir: join(folder, 'dist'),
    outbase: folder,
    write: false,
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    logLevel: 'error',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } },
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text.replace(relativeImport, '$1$2.js'))
  }
}
