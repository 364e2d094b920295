/** `npm run release` in a clean copy of this checkout: versions, packages, bill of materials, checksums, provenance. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { expect } from 'chai'
import { publint } from 'publint'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const version = '9.8.7-test.1'
/** Packages that others import. */
const typed = /^gateway-(contract|pattern|testing|provider-kit|plugin-kit)-/
const changelog = `# Changelog

## Unreleased

### Added

- A thing
  with a second line.

## 0.0.1 - 2020-01-01

- The first.
`
const left = new Set(['node_modules', '.git', 'data', 'coverage', 'test'])
/** Other tests may be writing it, and a release makes it again. */
const assembled = 'distribution/dist'

interface Manifest {
  name: string
  version: string
  private?: boolean
  dependencies?: Record<string, string>
}

const environment = {
  PATH: process.env.PATH ?? '',
  HOME: tmpdir(),
  npm_config_update_notifier: 'false',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'Release test'],
      [`GIT_${who}_EMAIL`, 'release@test.invalid'],
    ]),
  ),
}

const digestOf = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Record<string, never>

describe('a release', () => {
  let folder: string | undefined
  let copy: string
  let out: string
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')

  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: copy, env: environment, encoding: 'utf8' }).trim()
  const release = (...words: string[]) =>
    spawnSync(process.execPath, ['release/main.js', ...words], {
      cwd: copy,
      env: environment,
      encoding: 'utf8',
    })
  const manifestOf = async (path: string) =>
    (await readJson(join(copy, path, 'package.json'))) as unknown as Manifest

  before(async function () {
    this.timeout(900_000)
    if (spawnSync('git', ['--version']).status !== 0) return this.skip()
    folder = await mkdtemp(join(tmpdir(), 'gateway-release-'))
    copy = join(folder, 'checkout')
    out = join(folder, 'out')
    // Packages are needed, because the distribution contains SQLite's binaries and the licences of bundled packages.
    await cp(root, copy, {
      recursive: true,
      filter: (path) => {
        const place = relative(root, path)
        return place !== assembled && !place.split('/').some((name) => left.has(name))
      },
    })
    const lock = (await readJson(join(root, 'package-lock.json'))) as unknown as { packages: object }
    const installed = Object.keys(lock.packages).flatMap((path) => /^.*?node_modules/.exec(path)?.[0] ?? [])
    for (const path of new Set(installed)) await symlink(join(root, path), join(copy, path))
    await writeFile(join(copy, 'CHANGELOG.md'), changelog)
    const key = join(folder, 'key.pem')
    await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const own = await readJson(join(copy, 'package.json'))
    const repository = { type: 'git', url: 'git+https://code.example/team/gateway.git' }
    await writeFile(join(copy, 'package.json'), JSON.stringify({ ...own, repository }))
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'Everything')
    const { status, stderr } = release(version, '--no-build', '--out', out, '--sign', key)
    expect(status, stderr).to.equal(0)
  })
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('sets the version of all packages and of their mutual dependencies, commits and tags it', async () => {
    for (const path of ['', 'core', 'core/contract', 'plugins/lasso', 'providers/openai'])
      expect((await manifestOf(path)).version, path).to.equal(version)
    expect((await manifestOf('plugins/lasso')).dependencies).to.include({
      '@gateway/contract': version,
      '@gateway/plugin-kit': version,
    })
    const lock = (await readJson(join(copy, 'package-lock.json'))) as unknown as {
      version: string
      packages: Record<string, Manifest>
    }
    expect(lock.version).to.equal(version)
    expect(lock.packages['plugins/lasso']).to.deep.include({ version })
    expect(lock.packages['plugins/lasso']?.dependencies).to.include({ '@gateway/contract': version })
    expect(git('log', '-1', '--format=%s')).to.equal(`Version ${version}`)
    expect(git('rev-list', '-n', '1', `v${version}`)).to.equal(git('rev-parse', 'HEAD'))
    expect(git('status', '--porcelain')).to.equal('')
  })

  it('gives the changelog a section for the version, which is the message of the tag', async () => {
    const date = new Date().toISOString().slice(0, 10)
    const section = `## ${version} - ${date}\n\n### Added\n\n- A thing\n  with a second line.\n`
    const text = await readFile(join(copy, 'CHANGELOG.md'), 'utf8')
    const [before = '', after = ''] = changelog.split(/### Added[\s\S]*line\.\n/)
    expect(text).to.equal(before + section + after)
    expect(git('for-each-ref', '--format=%(contents)', `refs/tags/v${version}`)).to.equal(
      `Version ${version}\n\n### Added\n\n- A thing\n  with a second line.`,
    )
  })

  it("links every package to the checkout's repository, homepage and issues", async () => {
    for (const path of ['core', 'plugins/lasso', 'distribution'])
      expect(await manifestOf(path)).to.deep.include({
        repository: { type: 'git', url: 'git+https://code.example/team/gateway.git', directory: path },
        homepage: 'https://code.example/team/gateway#readme',
        bugs: { url: 'https://code.example/team/gateway/issues' },
      })
  })

  it('packs packages that publint and the types check accept', async () => {
    const packed = (await readdir(out)).filter((name) => name.endsWith('.tgz'))
    const wrong: string[] = []
    for (const name of packed) {
      const tarball = await readFile(join(out, name))
      const data = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength)
      const { messages } = await publint({ pack: { tarball: data as ArrayBuffer }, strict: true })
      // The distribution's folders of packages are read by the gateway itself.
      for (const { code, type, path } of messages)
        if (type !== 'suggestion' && code !== 'NESTED_PACKAGE_JSON_FIELD_IGNORED')
          wrong.push(`${name}: ${code} ${path.join('.')}`)
      if (!typed.test(name)) continue
      const result = await checkPackage(createPackageFromTarballData(new Uint8Array(data as ArrayBuffer)))
      const problems = result.types === false ? [{ kind: 'no types' }] : result.problems
      // ESM only, so CommonJS callers need import().
      for (const { kind } of problems)
        if (!/^(CJSResolvesToESM|NoResolution)$/.test(kind)) wrong.push(`${name}: ${kind}`)
    }
    expect(wrong).to.deep.equal([])
  })

  it('packs the distribution with the bundle and SQLite, and without dependencies', async () => {
    const archive = join(out, `gateway-gateway-${version}.tgz`)
    const held = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).split('\n')
    expect(held).to.include.members([
      'package/THIRD-PARTY-NOTICES',
      'package/bin/gateway.js',
      'package/dist/core/dist/gateway.cjs',
      'package/dist/plugins/store-sql/vendor/sqlite/dist/index.cjs',
      'package/dist/providers/openai/package.json',
    ])
    expect((await manifestOf('distribution')).dependencies).to.equal(undefined)
  })

  it('packs every public package with its exports and the licence', async () => {
    const files = await readdir(out)
    const lock = (await readJson(join(copy, 'package-lock.json'))) as unknown as { packages: object }
    const folders = Object.keys(lock.packages).filter((path) => !path.includes('node_modules/'))
    const manifests = await Promise.all(folders.map(manifestOf))
    for (const { name, private: isPrivate } of manifests) {
      const packed = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
      expect(files.includes(packed), packed).to.equal(isPrivate !== true)
    }
    const archive = join(out, `gateway-plugin-lasso-${version}.tgz`)
    const held = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).split('\n')
    expect(held).to.include.members(['package/dist/index.js', 'package/LICENSE', 'package/package.json'])
    expect(held.filter((path) => /(?<!\.d)\.ts$/.test(path))).to.deep.equal([])
  })

  it('has a software bill of materials of its runtime packages', async () => {
    const bill = (await readJson(join(out, `gateway-${version}.cdx.json`))) as unknown as {
      bomFormat: string
      metadata: { component: { name: string } }
      components: { name: string; version: string; licenses?: object[]; hashes?: object[] }[]
    }
    expect([bill.bomFormat, bill.metadata.component.name]).to.deep.equal(['CycloneDX', 'gateway'])
    const byName = new Map(bill.components.map((component) => [component.name, component]))
    expect(byName.get('koa')).to.include.keys('licenses', 'hashes')
    expect(byName.get('@gateway/plugin-lasso')?.version).to.equal(version)
    expect(byName.has('mocha')).to.equal(false)
    const archive = join(out, `gateway-gateway-${version}.tgz`)
    const path = 'package/dist/sbom.cdx.json'
    const shipped = execFileSync('tar', ['-xzOf', archive, path], { encoding: 'utf8', maxBuffer: 1024 ** 3 })
    expect(JSON.parse(shipped)).to.deep.equal(bill)
  })

  it('has checksums of every file', async () => {
    const lines = (await readFile(join(out, 'SHA256SUMS'), 'utf8')).trimEnd().split('\n')
    const files = (await readdir(out)).filter((name) => name !== 'SHA256SUMS')
    expect(lines).to.have.length(files.length)
    for (const line of lines) {
      const [digest, name = ''] = line.split('  ')
      expect(await digestOf(join(out, name)), name).to.equal(digest)
    }
  })

  it('has provenance: the commit, the lock file, and the builder', async () => {
    const statement = (await readJson(join(out, 'provenance.json'))) as unknown as {
      _type: string
      predicateType: string
      subject: { name: string; digest: { sha256: string } }[]
      predicate: {
        buildDefinition: { resolvedDependencies: { name: string; digest: Record<string, string> }[] }
        runDetails: { builder: { version: { node: string } } }
      }
    }
    expect(statement._type).to.equal('https://in-toto.io/Statement/v1')
    expect(statement.predicateType).to.equal('https://slsa.dev/provenance/v1')
    const [source, lock] = statement.predicate.buildDefinition.resolvedDependencies
    expect(source?.digest).to.deep.equal({ gitCommit: git('rev-parse', 'HEAD') })
    expect(lock?.digest).to.deep.equal({ sha256: await digestOf(join(copy, 'package-lock.json')) })
    expect(statement.predicate.runDetails.builder.version.node).to.equal(process.versions.node)
    const packed = (await readdir(out)).filter((name) => /\.(?:tgz|cdx\.json)$/.test(name))
    expect(statement.subject.map(({ name }) => name)).to.have.members(packed)
    for (const { name, digest } of statement.subject)
      expect(await digestOf(join(out, name)), name).to.equal(digest.sha256)
  })

  it('is signed with the given key', async () => {
    const envelope = (await readJson(join(out, 'provenance.dsse.json'))) as unknown as {
      payloadType: string
      payload: string
      signatures: { keyid: string; sig: string }[]
    }
    const payload = Buffer.from(envelope.payload, 'base64')
    expect(payload.equals(await readFile(join(out, 'provenance.json')))).to.equal(true)
    const type = 'application/vnd.in-toto+json'
    const signed = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload])
    const [signature] = envelope.signatures
    const isRight = verify(
      null,
      signed,
      createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
      Buffer.from(signature?.sig ?? '', 'base64'),
    )
    expect([envelope.payloadType, isRight]).to.deep.equal([type, true])
  })

  const refused: [what: string, words: string[], message: string, before?: () => Promise<void>][] = [
    ['what is no version', ['1.x'], 'is not a version'],
    ['a folder with files', [version, '--out', '.'], 'is not empty'],
    ['a missing key', [version, '--sign', 'nowhere.pem'], 'no key file'],
    ['a changelog without changes', ['9.9.8'], 'nothing under "## Unreleased"'],
    [
      'changes that are not committed',
      ['9.9.9'],
      'not committed',
      () => writeFile(join(copy, 'README.md'), 'changed'),
    ],
  ]
  for (const [what, words, message, prepare] of refused) {
    it(`refuses ${what}, and changes nothing`, async () => {
      await prepare?.()
      const head = git('rev-parse', 'HEAD')
      const { status, stderr } = release(...words)
      expect(status).to.equal(1)
      expect(stderr).to.contain(message)
      expect(git('rev-parse', 'HEAD')).to.equal(head)
    })
  }
})
