/**
 * Assembles the package `@gateway/gateway` in `dist`: the bundle in the folders of a checkout, so that everything that is
 * found by its place is found, without the modules that the bundle contains. SQLite's binaries are part of it, because its
 * package is twice as large; the package therefore has no dependencies. Run after `npm run build`; npm runs it before it
 * packs.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundledFolders } from '../core/cli/bin/bundle.js'
import { bundle, core, isBundleFresh, packageFolders, root } from '../core/cli/bin/freshness.js'
import { billText } from './bill.js'

const folder = import.meta.dirname
const dist = join(folder, 'dist')
export const billFile = join(dist, 'sbom.cdx.json')
const placeOf = (path) => join(dist, relative(root, path))

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

function writeJson(path, value) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

/** Of a checkout that was just built. */
export async function assemble() {
  rmSync(dist, { recursive: true, force: true })
  copyCommand()
  for (const path of packageFolders()) copyPackage(path)
  await copySqlite()
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES'), notices())
  writeFileSync(billFile, billText(root))
}

function copyCommand() {
  const isBundle = (name) => name.endsWith('.cjs')
  for (const name of readdirSync(dirname(bundle)).filter(isBundle))
    cpSync(join(dirname(bundle), name), placeOf(join(dirname(bundle), name)))
  for (const name of ['gateway', 'gateway.js', 'load-bundle.js', 'freshness.js'])
    cpSync(join(core, 'cli', 'bin', name), placeOf(join(core, 'cli', 'bin', name)))
  cpSync(join(core, 'cli', 'templates'), placeOf(join(core, 'cli', 'templates')), { recursive: true })
  // New packages need the same version, because schema types of two versions are incompatible.
  const { name, version, type } = readJson(join(core, 'package.json'))
  const dependencies = { '@sinclair/typebox': installed('@sinclair/typebox').version }
  writeJson(placeOf(join(core, 'package.json')), { name, version, type, dependencies })
}

/** What a start reads of a package besides its modules: its manifest and the files that it serves. */
function copyPackage(path) {
  const { name, version, type, exports, gateway } = readJson(join(path, 'package.json'))
  if (gateway === undefined) return
  const imports = name === '@gateway/store-sql' ? { imports: sqliteImports } : {}
  writeJson(placeOf(join(path, 'package.json')), { name, version, type, exports, gateway, ...imports })
  const own = join(path, 'dist')
  const isServed = (entry) => /^(?:site|assets|assets\.json)$|LICENSE|NOTICE/.test(entry)
  for (const entry of readdirSync(own).filter(isServed))
    cpSync(join(own, entry), placeOf(join(own, entry)), { recursive: true })
}

const sqlitePackage = '@photostructure/sqlite'
const sqliteFolder = join('plugins', 'store-sql', 'vendor', 'sqlite')
const sqliteEntry = './vendor/sqlite/dist/index.cjs'
const sqliteImports = { '#sqlite': sqliteEntry }

async function copySqlite() {
  const { path, version } = installed(sqlitePackage)
  const to = join(dist, sqliteFolder)
  writeJson(join(to, 'package.json'), { name: sqlitePackage, version, license: 'MIT' })
  cpSync(join(path, 'LICENSE'), join(to, 'LICENSE'))
  cpSync(join(path, 'prebuilds'), join(to, 'prebuilds'), { recursive: true })
  // With node-gyp-build, which finds the binary, in one file.
  await build({
    entryPoints: [join(path, 'dist', 'index.cjs')],
    outfile: join(to, 'dist', 'index.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  })
}

/** The folder and version of a package that core or the store needs. */
function installed(name) {
  const { resolve } = createRequire(join(root, 'plugins', 'store-sql', 'package.json'))
  const manifest = resolve
    .paths(name)
    .map((path) => join(path, name, 'package.json'))
    .find((path) => existsSync(path))
  if (manifest === undefined) throw new Error(`${name} is not installed: run \`npm ci\`.`)
  return { path: dirname(manifest), version: readJson(manifest).version }
}

const licenceFile = /^(?:licen[cs]e|notice|copying)/i

/** The licences of everything in the bundle. */
function notices() {
  const others = [installed(sqlitePackage).path, installed('node-gyp-build').path]
  const folders = [...readJson(bundledFolders).map((path) => join(root, path)), ...others]
  const texts = folders.map((path) => {
    const { name, version, license } = readJson(join(path, 'package.json'))
    const files = readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
      .map((entry) => readFileSync(join(path, entry.name), 'utf8').trim())
    return `${name} ${version} (${license ?? 'see below'})\n\n${files.join('\n\n')}\n`
  })
  const line = `\n${'-'.repeat(80)}\n\n`
  return `This package contains the following packages.\n${line}${[...new Set(texts)].sort().join(line)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(bundle) || !isBundleFresh(packageFolders()))
    throw new Error('The bundle is missing or outdated: run `npm run build`.')
  await assemble()
}
