/**
 * Bundles what a start loads: the command with all packages, and each thread that they start, one file each in place of
 * some 1,700 modules. A module that is reached by `import()` is evaluated when it is asked for, as without a bundle.
 * https://esbuild.github.io/api/
 */
import { existsSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundle, core, root } from './freshness.js'

/** Native code is loaded from where it is installed; plugins/store-sql/sqlite-driver.ts loads SQLite. */
const outside = ['pg-native']

/** What is used of a package whose main module evaluates all of it; a name that is missing here fails the bundling. */
const partsOf = {
  undici: `export { default as Pool } from 'undici/lib/dispatcher/pool.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as errors } from 'undici/lib/core/errors.js'`,
}

/** Packages that several others bring along, each in its version, and whose is taken for all: tables of media types. */
const shared = { 'mime-types': 'koa', 'mime-db': 'koa' }

const folder = dirname(bundle)

/** Around the command, as {@link file://./load-bundle.js} calls it: put around it there, its text would be copied. */
const wrapper = { before: '(function(exports,require,module,__filename,importOutside){', behind: '})' }

/** Writes the bundle; one that cannot be made is an error. */
export async function makeBundle() {
  const threads = new Map()
  await write(
    bundle,
    `export { main } from ${JSON.stringify(join(core, 'dist', 'cli', 'main.js'))}`,
    [putIn(await contents()), keepPlaces(threads), takeParts, shareOne, leaveOutside],
    wrapper,
  )
  // A thread may start others, which are added meanwhile.
  for (const [file, path] of threads) {
    await write(file, `import ${JSON.stringify(path)}`, [keepPlaces(threads), leaveOutside])
  }
}

/** A process that starts meanwhile finds the old file or the new one. */
async function write(file, contents, plugins, { before, behind } = { before: '', behind: '' }) {
  const unfinished = `${file}.${process.pid}`
  await build({
    stdin: { contents, resolveDir: root },
    outfile: unfinished,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // The bundle is a script, which cannot import; what else is outside is required.
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'error',
    banner: { js: `${before}const bundleUrl=require('node:url').pathToFileURL(__filename).href;` },
    footer: { js: behind },
    plugins,
  })
  await rename(unfinished, file)
}

/** As bundle-contents.ts has it; a checkout without has nothing to put in. */
async function contents() {
  const path = join(core, 'dist', 'cli', 'bin', 'bundle-contents.js')
  if (!existsSync(path)) return { packages: [], validators: {} }
  return (await import(pathToFileURL(path).href)).bundleContents()
}

/** Puts packages and validators in the place of the empty core/shared/bundled. */
const putIn = ({ packages, validators }) => ({
  name: 'put-in',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]core[\\/]dist[\\/]shared[\\/]bundled\.js$/ }, () => {
      const keys = Object.keys(validators)
      const imports = keys.map(
        (key, index) => `import validate${index} from ${JSON.stringify(`validator:${key}`)}`,
      )
      const entries = keys.map((key, index) => `${JSON.stringify(key)}: validate${index}`)
      const loaders = packages.map(
        (path) => `${JSON.stringify(relative(root, path))}: () => import(${JSON.stringify(path)})`,
      )
      return {
        resolveDir: core,
        contents: `${imports.join('\n')}
export const bundledValidators = { ${entries.join(',\n')} }
export const bundledPackages = { ${loaders.join(',\n')} }`,
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
const threadStart = /new Worker\(\s*new URL\('(\.[^']+)', import\.meta\.url\)/g

/**
 * A module finds what lies beside it, and packages that are named in a config file, as if it were not bundled. A thread
 * that it starts is bundled as well.
 * @param threads where the modules of threads are added, by the files that they are bundled to
 */
const keepPlaces = (threads) => ({
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: ownModule }, async ({ path }) => {
      if (path.includes('node_modules')) return null
      const startThread = (_, name) => {
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
      // By its path, as it may be installed below the package that needs it. An optional one may not be installed at all.
      return { path: errors.length > 0 ? path : `./${relative(folder, found)}`, external: true }
    })
  },
}
