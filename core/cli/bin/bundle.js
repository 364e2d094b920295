/**
 * Bundles the modules that a start loads: the command with all packages, and each worker thread. Each is one file
 * instead of some 1,700 modules. A module imported by `import()` is still evaluated on demand.
 * https://esbuild.github.io/api/
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundle, core, fingerprintLength, root } from './freshness.js'

/** Native code is loaded from where it is installed; plugins/store-sql/sqlite-driver.ts loads SQLite. */
const outside = ['pg-native']

/**
 * The modules to bundle of packages whose main module does more than a start needs. Bundling fails if a name is missing
 * here.
 * - depd: its own build without warnings. To name the caller of a deprecated function, V8 counts the lines of the bundle.
 */
const partsOf = {
  depd: `module.exports = require('depd/lib/browser/index.js')`,
  undici: `export { default as Pool } from 'undici/lib/dispatcher/pool.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as errors } from 'undici/lib/core/errors.js'`,
}

/** Media type tables that several packages depend on in different versions; one version serves all. */
const shared = { 'mime-types': 'koa', 'mime-db': 'koa' }

const folder = dirname(bundle)

/** Wraps the command for {@link file://./load-bundle.js}; wrapping it there would copy the text. */
const wrapper = { before: '(function(exports,require,module,__filename,importOutside){', behind: '})' }

/** The folders of the packages in the bundle, below the checkout: a JSON list, for their licences. */
export const bundledFolders = join(folder, 'bundled-folders.json')

/** Writes the bundle. Throws when it cannot be built. */
export async function makeBundle() {
  const threads = new Map()
  const inputs = new Set()
  const write = async (file, text, { plugins, around }) => {
    for (const input of await bundleFile(file, text, { plugins, around })) inputs.add(input)
  }
  await write(bundle, `export { main } from ${JSON.stringify(join(core, 'dist', 'cli', 'main.js'))}`, {
    plugins: [putIn(await contents()), keepPlaces(threads), takeParts, shareOne, leaveOutside],
    around: wrapper,
  })
  await removeCompiled()
  // A thread may start others, which are added during the loop.
  for (const [file, path] of threads) {
    await write(file, `import ${JSON.stringify(path)}`, { plugins: [keepPlaces(threads), leaveOutside] })
  }
  const folders = [...inputs].flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  await writeFile(bundledFolders, JSON.stringify([...new Set(folders)].sort()))
}

/**
 * Bundles one file and returns the paths of the bundled modules. A process that starts during the build finds the old
 * file or the new one.
 */
async function bundleFile(file, contents, { plugins, around = { before: '', behind: '' } }) {
  const { before, behind } = around
  const unfinished = `${file}.${process.pid}`
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    stdin: { contents, resolveDir: root },
    outfile: unfinished,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // The bundle is a script and cannot import, so external modules are required.
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'error',
    banner: { js: `${before}const bundleUrl=require('node:url').pathToFileURL(__filename).href;` },
    footer: { js: behind },
    plugins,
  })
  if (around.behind !== '') await sign(unfinished)
  await rename(unfinished, file)
  return Object.keys(metafile.inputs)
}

/** Appends a fingerprint, by which a start finds V8's compile cache of this bundle. */
async function sign(file) {
  const hash = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
  await appendFile(file, `//${hash.slice(0, fingerprintLength)}`)
}

/** Removes V8's compile caches of earlier bundles. */
async function removeCompiled() {
  for (const name of await readdir(folder))
    if (name.startsWith(basename(bundle)) && name.endsWith('.cache'))
      await rm(join(folder, name), { force: true })
}

/** As returned by bundle-contents.ts; empty in a checkout that has not been built. */
async function contents() {
  const path = join(core, 'dist', 'cli', 'bin', 'bundle-contents.js')
  if (!existsSync(path)) return { packages: [], validators: {} }
  return (await import(pathToFileURL(path).href)).bundleContents()
}

/** Replaces the empty core/discovery/bundled with the packages, and core/validation/bundled with the validators. */
const putIn = ({ packages, validators }) => ({
  name: 'put-in',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]core[\\/]dist[\\/]discovery[\\/]bundled\.js$/ }, () => {
      const loaders = packages.map(
        (path) =>
          `${JSON.stringify(relative(root, path).replaceAll('\\', '/'))}: () => import(${JSON.stringify(path)})`,
      )
      return { resolveDir: core, contents: `export const bundledPackages = { ${loaders.join(',\n')} }` }
    })
    onLoad({ filter: /[\\/]core[\\/]validation[\\/]dist[\\/]bundled\.js$/ }, () => {
      const keys = Object.keys(validators)
      const imports = keys.map(
        (key, index) => `import validate${index} from ${JSON.stringify(`validator:${key}`)}`,
      )
      const entries = keys.map((key, index) => `${JSON.stringify(key)}: validate${index}`)
      return {
        resolveDir: core,
        contents: `${imports.join('\n')}
export const bundledValidators = { ${entries.join(',\n')} }`,
      }
    })
    onResolve({ filter: /^validator:/ }, ({ path }) => ({
      path: path.slice('validator:'.length),
      namespace: 'validator',
    }))
    onLoad({ filter: /.*/, namespace: 'validator' }, ({ path }) => ({
      resolveDir: core,
      contents: validators[path],
    }))
  },
})

const ownModule =
  /[\\/](core|core[\\/][^\\/]+|providers[\\/][^\\/]+|plugins[\\/][^\\/]+)[\\/]dist[\\/].*\.js$/
const packageImport = /\bimport\((?!["'])/g
const threadStart = /new Worker\(\s*new URL\((['"])(\.[^'"]+)\1, import\.meta\.url\)/g

/**
 * Modules find files next to them, and packages named in a config file, as if they were not bundled. Worker threads are
 * bundled too.
 * @param threads collects the thread modules by their bundled file
 */
const keepPlaces = (threads) => ({
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: ownModule }, async ({ path }) => {
      if (path.includes('node_modules')) return null
      const startThread = (_, _quote, name) => {
        const thread = resolve(dirname(path), name)
        const file = join(folder, relative(root, thread).replaceAll(/[\\/]/g, '-').replace(/js$/, 'cjs'))
        threads.set(file, thread)
        return `new Worker(new URL('./${basename(file)}', bundleUrl)`
      }
      const place = `new URL(${JSON.stringify(relative(folder, path).replaceAll('\\', '/'))}, bundleUrl).href`
      const text = await readFile(path, 'utf8')
      const contents = text
        .replace(threadStart, startThread)
        .replaceAll('import.meta.url', place)
        .replace(packageImport, 'importOutside(')
      return { contents }
    })
  },
})

const takeParts = {
  name: 'take-parts',
  setup({ onLoad, onResolve }) {
    const filter = new RegExp(`^(${Object.keys(partsOf).join('|')})$`)
    onResolve({ filter }, ({ path, resolveDir }) => ({ path, namespace: 'parts', pluginData: resolveDir }))
    onLoad({ filter, namespace: 'parts' }, ({ path, pluginData: resolveDir }) => ({
      contents: partsOf[path],
      resolveDir,
    }))
  },
}

const shareOne = {
  name: 'share-one',
  setup({ onResolve, resolve: find }) {
    const { resolve: locate } = createRequire(join(core, 'package.json'))
    const filter = new RegExp(`^(${Object.keys(shared).join('|')})$`)
    onResolve({ filter }, ({ path, kind, pluginData }) =>
      pluginData === 'found'
        ? null
        : find(path, { resolveDir: dirname(locate(shared[path])), kind, pluginData: 'found' }),
    )
  },
}

const leaveOutside = {
  name: 'leave-outside',
  setup({ onResolve, resolve: find }) {
    const filter = new RegExp(`^(${outside.join('|')})$`)
    onResolve({ filter }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'found') return null
      const { path: found, errors } = await find(path, { ...from, pluginData: 'found' })
      // Packages are resolved by path, because they may be installed below the package that needs them. Optional
      // packages may be missing.
      return { path: errors.length > 0 ? path : `./${relative(folder, found)}`, external: true }
    })
  },
}
