/** The house stands as it was drawn: arrows go one way, every stage has its file, and the core names no vendor. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { expect } from 'chai'
import { discover } from '#core/discover'

const root = process.cwd()

/** The TypeScript sources below a folder, without builds, templates and installed packages. */
function sources(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name)
    if (['dist', 'node_modules', 'templates'].includes(name)) return []
    if (statSync(join(root, path)).isDirectory()) return sources(path)
    return path.endsWith('.ts') ? [path] : []
  })
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** What a file imports, relative imports as paths from the root. */
function imports(path: string): string[] {
  const found = [...read(path).matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, name]) => name ?? '')
  return found.map((name) => (name.startsWith('.') ? relative(root, join(root, path, '..', name)) : name))
}

/** Files of a folder with an import that the rule forbids, as `file -> import`. */
function offenders(folder: string, isForbidden: (name: string) => boolean): string[] {
  return sources(folder).flatMap((path) =>
    imports(path)
      .filter(isForbidden)
      .map((name) => `${path} -> ${name}`),
  )
}

describe('the arrows', () => {
  it('the contract imports nothing of the rest', () => {
    const own = (name: string) =>
      name.startsWith('core/contract/') || !/^(core|providers|plugins|@gateway)\b/.test(name)
    expect(offenders('core/contract', (name) => !own(name))).to.deep.equal([])
  })

  it('the core imports no package of its own house', () => {
    expect(offenders('core', (name) => /^(@gateway\/|providers\/|plugins\/)/.test(name))).to.deep.equal([])
  })

  it('the kit knows only the contract', () => {
    const isForeign = (name: string) => name.startsWith('@gateway/') && name !== '@gateway/core/contract'
    expect(offenders('providers/kit', isForeign)).to.deep.equal([])
  })

  for (const [folder, doors] of [
    ['providers', ['@gateway/core/contract', '@gateway/provider-kit']],
    ['plugins', ['@gateway/core/contract']],
  ] as const) {
    it(`${folder} come in by the doors`, () => {
      const isForeign = (name: string) => name.startsWith('@gateway/') && !doors.some((door) => door === name)
      expect(offenders(folder, isForeign)).to.deep.equal([])
      expect(offenders(folder, (name) => name.startsWith('core/'))).to.deep.equal([])
    })
  }

  it('a deep import of the core fails', () => {
    const require = createRequire(join(root, 'providers/kit/package.json'))
    expect(() => require.resolve('@gateway/core/gateway')).to.throw()
    expect(() => require.resolve('@gateway/core/dist/gateway.js')).to.throw()
  })
})

describe('the stages', () => {
  const listed = imports('core/pipeline.ts').filter((name) => name.startsWith('core/stages/'))

  it('in the lists have their files, and the files stand in the lists', () => {
    expect(sources('core/stages').sort()).to.deep.equal([...listed].sort())
  })

  it('are named as their files', () => {
    for (const path of listed) {
      const name = path
        .replace(/^.*\/|\.ts$/g, '')
        .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
      expect(read(path), path).to.match(new RegExp(`function (${name}|create${name}|${name}On)\\b`, 'i'))
    }
  })
})

describe('the core', () => {
  it('names no vendor', async () => {
    const { registry } = await discover({ packages: [], disabled: [], directory: root })
    // Names that are words of the language, or of this house.
    const words = new Set(['echo', 'lambda', 'together-ai', 'x-ai'])
    const vendors = [...registry.providers.keys()].filter((name) => !words.has(name))
    const named = sources('core')
      .filter((path) => !path.startsWith('core/testing/'))
      .flatMap((path) => {
        const code = read(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
        return vendors
          .filter((name) => new RegExp(`['"\`]${name}['"\`]`).test(code))
          .map((name) => `${path}: ${name}`)
      })
    expect(named).to.deep.equal([])
  })
})
