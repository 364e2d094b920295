/**
 * Merges the modules that the first page needs into one file. The bundler puts each set of modules that several pages
 * share into a separate file, so the first page would load more than twenty files.
 *
 * The files of later pages find the modules that they share with the first page in a global object, under the name of
 * the file that the bundler made. The name contains a hash of the file's content, so a page that a browser has cached
 * never finds another version.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const registry = 'globalThis.consoleParts'

/** @param imports imports by file */
function closureOf(entry, imports) {
  const found = new Set([entry])
  for (const file of found) for (const one of imports(file)) found.add(one)
  return found
}

const isFile = (path) => path.startsWith('./') && path.endsWith('.js')

/** Resolves files by name, or modules in their place. Everything else stays an import. */
const filesPlugin = (textOf) => ({
  name: 'files',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\// }, ({ path, kind }) => {
      const isOwn = kind === 'import-statement' && isFile(path) && textOf(path.slice(2)) !== null
      return isOwn ? { path: path.slice(2), namespace: 'files' } : { path, external: true }
    })
    bundler.onLoad({ filter: /.*/, namespace: 'files' }, ({ path }) => ({ contents: textOf(path) }))
  },
})

async function bundle(contents, textOf) {
  const { outputFiles } = await build({
    stdin: { contents },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
    plugins: [filesPlugin(textOf)],
  })
  return outputFiles[0].text
}

/**
 * @param folder folder of the bundler's files
 * @param outputs their descriptions, by name: `imports` and `exports`
 * @param entry the name of the first page's file, which is replaced
 */
export async function mergeFirstPage(folder, outputs, entry) {
  const importsOf = (file) =>
    outputs[file].imports
      .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
      .map(({ path }) => path)
  const first = closureOf(entry, importsOf)
  const shared = [...first].filter((file) => file !== entry)
  const read = (file) => readFileSync(join(folder, file), 'utf8')
  const text = [
    ...shared.map((file, index) => `import * as part${index} from './${file}'`),
    `import './${entry}'`,
    `${registry} = {${shared.map((file, index) => `'${file}': part${index}`).join(', ')}}`,
  ].join('\n')
  const merged = await bundle(text, (file) => (first.has(file) ? read(file) : null))
  /** A module with the exports of a file that is part of the first page. */
  const standIn = (file) =>
    `const part = ${registry}['${file}']\n${outputs[file].exports
      .map((name, index) => `const own${index} = part.${name}; export { own${index} as ${name} }`)
      .join('\n')}`
  const others = Object.keys(outputs).filter((one) => one.endsWith('.js') && !first.has(one))
  const texts = await Promise.all(
    others.map((file) => {
      const exported = outputs[file].exports
      return bundle(
        exported.length === 0 ? `import './${file}'` : `export { ${exported.join(', ')} } from './${file}'`,
        (one) => (one === file ? read(file) : first.has(one) ? standIn(one) : null),
      )
    }),
  )
  for (const [index, file] of others.entries()) writeFileSync(join(folder, file), texts[index])
  for (const file of shared) rmSync(join(folder, file))
  writeFileSync(join(folder, entry), merged)
  const later = Object.keys(outputs).filter((file) => file.endsWith('.js') && !shared.includes(file))
  for (const file of later) {
    const withNeeds = importTogether(read(file), (page) =>
      [...closureOf(page, importsOf)].filter((one) => one !== page && !first.has(one)),
    )
    writeFileSync(join(folder, file), withNeeds)
  }
}

/**
 * Makes a page that is loaded later request the files that it shares with others immediately, and not only when its own
 * file has arrived. That saves a round trip.
 * @param needsOf returns the files that a page imports
 */
const importTogether = (text, needsOf) =>
  text.replaceAll(/\bimport\("\.\/([\w.-]+\.js)"\)/g, (written, page) => {
    const needs = needsOf(page).map((file) => `import("./${file}")`)
    return needs.length === 0 ? written : `(${[...needs, written].join(',')})`
  })
