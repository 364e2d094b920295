/**
 * Makes a release: `npm run release -- VERSION [--out FOLDER] [--sign KEY.pem] [--no-build]`. It sets the version of all
 * packages, gives the changelog a section for it, commits and tags that, builds, packs every package, and writes a
 * software bill of materials, provenance and checksums next to the packages. docs/releasing.md says how it is used.
 */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { assemble, billFile } from '../distribution/assemble.js'
import { ChangelogFault, cutChangelog } from './changelog.js'
import { sha256, signStatement, statementOf } from './provenance.js'
import { packagesOf, setLinks, setVersion } from './versions.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** https://semver.org/#is-there-a-suggested-regular-expression-regex-to-check-a-semver-string, without build metadata. */
const semver = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

/** Something that the person who releases has to correct. */
class ReleaseFault extends Error {}

function run(command, ...words) {
  return execFileSync(command, words, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 })
}

const git = (...words) => run('git', ...words).trim()
const npm = (...words) => run('npm', ...words)

function readWords() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, sign: { type: 'string' }, 'no-build': { type: 'boolean' } },
  })
  const [version, ...more] = positionals
  if (version === undefined || more.length > 0)
    throw new ReleaseFault('Usage: npm run release -- VERSION [--out FOLDER] [--sign KEY.pem] [--no-build]')
  if (!semver.test(version))
    throw new ReleaseFault(`"${version}" is not a version such as 1.4.0 or 2.0.0-rc.1.`)
  const out = resolve(values.out ?? join(root, 'release', 'dist', version))
  if (existsSync(out) && readdirSync(out).length > 0) throw new ReleaseFault(`${out} is not empty.`)
  const { sign: keyPath } = values
  if (keyPath !== undefined && !existsSync(keyPath))
    throw new ReleaseFault(`There is no key file ${keyPath}.`)
  const keyPem = keyPath === undefined ? null : readFileSync(keyPath, 'utf8')
  return { version, out, keyPem, hasBuild: values['no-build'] !== true }
}

/** The commit that holds exactly what is released, made by this where the version is a new one. */
function commitVersion(version) {
  if (git('status', '--porcelain') !== '')
    throw new ReleaseFault(
      'The checkout has changes that are not committed: a release is made from a commit.',
    )
  const notes = writeChangelog(version)
  setVersion(root, version)
  setLinks(root)
  if (git('status', '--porcelain') !== '') {
    git('add', '--update')
    git('commit', '--quiet', '--message', `Version ${version}`)
  }
  const tag = `v${version}`
  if (git('tag', '--list', tag) === '')
    git('tag', '--annotate', tag, '--cleanup', 'whitespace', '--message', `Version ${version}\n\n${notes}`)
  const commit = git('rev-parse', 'HEAD')
  if (git('rev-list', '-n', '1', tag) !== commit)
    throw new ReleaseFault(`The tag ${tag} names another commit: this version was released before.`)
  return commit
}

/** Returns the notes of the version. */
function writeChangelog(version) {
  const path = join(root, 'CHANGELOG.md')
  const written = readFileSync(path, 'utf8')
  const { text, notes } = cutChangelog(written, version, new Date().toISOString().slice(0, 10))
  if (text !== written) writeFileSync(path, text)
  return notes
}

/** Every package but the private ones, each with the licence. */
function pack(out) {
  const released = packagesOf(root).filter(({ manifest }) => manifest.private !== true)
  const licences = released
    .map(({ folder }) => join(root, folder, 'LICENSE'))
    .filter((path) => !existsSync(path))
  try {
    for (const path of licences) copyFileSync(join(root, 'LICENSE'), path)
    const workspaces = released.flatMap(({ folder }) => ['--workspace', folder])
    const packed = JSON.parse(
      npm('pack', '--json', '--ignore-scripts', '--pack-destination', out, ...workspaces),
    )
    for (const { manifest } of released)
      checkPacked(
        manifest,
        packed.find(({ name }) => name === manifest.name),
      )
  } finally {
    for (const path of licences) rmSync(path)
  }
}

/** A package without what its manifest exports would install, and then fail. */
function checkPacked({ name, exports = {}, bin = {} }, packed) {
  if (packed === undefined) throw new ReleaseFault(`${name} was not packed.`)
  const files = new Set(packed.files.map(({ path }) => path))
  const targets = [...Object.values(exports).map((entry) => entry.default ?? entry), ...Object.values(bin)]
  const missing = targets.map((target) => target.replace(/^\.\//, '')).filter((target) => !files.has(target))
  if (missing.length === 0) return
  throw new ReleaseFault(
    `${name} was packed without ${missing.join(', ')}: build it, and list "dist" under "files" of its package.json.`,
  )
}

const digestsIn = (out) =>
  readdirSync(out)
    .sort()
    .map((name) => ({ name, digest: sha256(readFileSync(join(out, name))) }))

async function release() {
  const { version, out, keyPem, hasBuild } = readWords()
  const startedAt = new Date().toISOString()
  const commit = commitVersion(version)
  if (hasBuild) npm('run', 'build')
  mkdirSync(out, { recursive: true })
  await assemble()
  pack(out)
  copyFileSync(billFile, join(out, `gateway-${version}.cdx.json`))
  const lockDigest = sha256(readFileSync(join(root, 'package-lock.json')))
  const source = { version, commit, lockDigest, npm: npm('--version').trim(), startedAt }
  const statement = statementOf(digestsIn(out), { ...source, finishedAt: new Date().toISOString() })
  const text = `${JSON.stringify(statement, null, 2)}\n`
  writeFileSync(join(out, 'provenance.json'), text)
  if (keyPem !== null)
    writeFileSync(join(out, 'provenance.dsse.json'), `${JSON.stringify(signStatement(text, keyPem))}\n`)
  const sums = digestsIn(out).map(({ name, digest }) => `${digest}  ${name}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(`${version} is in ${relative(process.cwd(), out) || out}: ${sums.length + 1} files.\n`)
}

try {
  await release()
} catch (error) {
  if (!(error instanceof ReleaseFault || error instanceof ChangelogFault)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
