/**
 * The architecture rules: imports go in one direction, the list of stages equals the folder of stages, core names no
 * vendor.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { discover } from '#core/discovery/discover'

/** This file is `test/dist/architecture.test.js`. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const skipped = new Set(['dist', 'node_modules'])
/** Packages that `gateway new` copies. */
const templates = 'core/cli/templates'

/** The packages inside core's folder that core uses, from the ground up, and the packages that each may use, types included. */
const below: ReadonlyMap<string, readonly string[]> = new Map([
  ['core/pattern', ['re2js']],
  ['core/contract', ['@gateway/pattern', '@sinclair/typebox']],
  ['core/domain', ['@gateway/contract', '@sinclair/typebox', 'fastest-levenshtein', 'ipaddr.js']],
  ['core/validation', ['@gateway/contract', '@gateway/domain', '@sinclair/typebox', 'ajv']],
  [
    'core/config-file',
    ['@gateway/contract', '@gateway/domain', '@gateway/validation', '@sinclair/typebox', 'yaml'],
  ],
  ['core/counters', ['@gateway/contract', '@gateway/domain']],
  [
    'core/flow',
    [
      '@gateway/config-file',
      '@gateway/contract',
      '@gateway/domain',
      '@gateway/validation',
      '@sinclair/typebox',
      'lru-cache',
      'pino',
    ],
  ],
  ['core/store', ['@gateway/contract', '@gateway/counters', '@gateway/domain', 'lru-cache']],
  [
    'core/config',
    [
      '@gateway/config-file',
      '@gateway/contract',
      '@gateway/domain',
      '@gateway/flow',
      '@gateway/validation',
      '@sinclair/typebox',
    ],
  ],
  ['core/streaming', ['@gateway/contract', '@gateway/domain', '@gateway/flow']],
  ['core/agreement', ['@gateway/contract']],
  [
    'core/routing',
    ['@gateway/config', '@gateway/contract', '@gateway/domain', '@gateway/flow', 'lru-cache', 'opossum'],
  ],
  [
    'core/upstream',
    [
      '@gateway/config',
      '@gateway/contract',
      '@gateway/domain',
      '@gateway/flow',
      '@gateway/streaming',
      'got',
      'undici',
      'ws',
    ],
  ],
])

/** All packages inside core's folder. */
const nested = [...below.keys(), 'core/testing']
const corePackages = ['core', ...nested]

/** The sources of a room or package; those of a nested package belong only to that package. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return skipped.has(entry.name) || path === templates || nested.includes(path) ? [] : sourcesIn(path)
    return path.endsWith('.ts') ? [path] : []
  })
}

const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

interface Import {
  from: string
  /** A file below the root, or the name of a package with its subpath. */
  to: string
  isPackage: boolean
  /** Removed by the compiler. */
  isType: boolean
}

const specifier =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]|(?:^|\n)import\s*['"]([^'"]+)['"]/g

function importsOf(path: string): Import[] {
  return [...textOf(path).matchAll(specifier)].map(([statement, named, dynamic, bare]) => {
    const written = named ?? dynamic ?? bare ?? ''
    const isType = /^\s*(?:import|export) type\b/.test(statement)
    const isPackage = !written.startsWith('.')
    const to = isPackage ? written : relative(root, resolve(root, dirname(path), written))
    return { from: path, to, isPackage, isType }
  })
}

const importsIn = (folder: string) => sourcesIn(folder).flatMap(importsOf)

/** `@scope/name` or `name`, without the subpath. */
const packageOf = (written: string) => written.split('/', written.startsWith('@') ? 2 : 1).join('/')

/** Imports at run time that are neither part of node nor dependencies of the package in this folder. */
function undeclared(folder: string, imports: readonly Import[]): Import[] {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(textOf(join(folder, 'package.json')))
  const declared = { ...dependencies, ...optionalDependencies }
  return imports.filter(
    ({ to, isPackage, isType }) =>
      isPackage && !isType && !isBuiltin(to) && !Object.hasOwn(declared, packageOf(to)),
  )
}

const packagesAt = ({ to, isPackage }: Import) => (isPackage && !isBuiltin(to) ? [packageOf(to)] : [])

/** The packages that a folder imports, types included. */
const packagesOf = (folder: string) => [...new Set(importsIn(folder).flatMap(packagesAt))].sort()

/** The packages that a package may import in addition to the contract. */
function extraDoors(folder: string): readonly string[] {
  if (folder.endsWith('/kit')) return []
  // A secret manager signs in to its cloud with the providers' auth code.
  if (folder === 'plugins/secret-managers') return ['@gateway/plugin-kit', '@gateway/provider-kit']
  if (folder.startsWith('providers/')) return ['@gateway/provider-kit']
  if (isDialect(folder)) return ['@gateway/contract/dialect', '@gateway/contract/wire']
  if (folder === 'plugins/default') return ['@gateway/plugin-kit/json-schema']
  // Prompts are templates of inference requests, and have schemas for their variables.
  if (folder === 'plugins/control-plane')
    return ['@gateway/domain', '@gateway/contract/wire', '@gateway/plugin-kit/json-schema']
  if (folder === 'plugins/batches') return ['@gateway/contract/wire', '@gateway/domain']
  if (folder === 'plugins/scim' || folder === 'plugins/observability')
    return ['@gateway/domain', ...controlPlaneDoors]
  // Their resources are declared with the engine of the control plane.
  if (folder === 'plugins/mcp' || folder === 'plugins/agents') {
    return ['@gateway/domain', '@gateway/control-plane/engine', '@gateway/control-plane/remote-servers']
  }
  if (folder === 'plugins/dry-run') {
    return ['@gateway/domain', '@gateway/control-plane/engine', '@gateway/control-plane/shared']
  }
  if (folder === 'plugins/replays') {
    return [
      '@gateway/domain',
      '@gateway/batches/engine',
      '@gateway/observability/visible-logs',
      '@gateway/plugin-kit/json-schema',
      ...controlPlaneDoors,
    ]
  }
  // They serve files to browsers.
  if (folder === 'plugins/console' || folder === 'plugins/openapi') return ['@gateway/plugin-kit/assets']
  return sharesDomain.has(folder) ? ['@gateway/domain'] : ['@gateway/plugin-kit']
}

/** Formats of callers and the protocol of sessions, which know how bodies and events are read and written, and nothing of core. */
const isDialect = (folder: string) => folder.startsWith('plugins/dialect-') || folder === 'plugins/realtime'

/** Rooms of the control plane that services use: its rules for people must exist only once. */
const controlPlaneDoors = ['api-keys', 'engine', 'people', 'shared', 'workspaces'].map(
  (room) => `@gateway/control-plane/${room}`,
)

/** Stores and services, which store and serve core's data. */
const sharesDomain = new Set([
  'plugins/store-sql',
  'plugins/store-redis',
  'plugins/store-clickhouse',
  'plugins/control-plane',
])

/**
 * The rooms of core, from the ground up, and the rooms that each may use, types included: a room uses rooms listed above
 * it. All may use the packages below core.
 */
const drawing = `
  aliases
  observability
  discovery
  tenancy
  metering      → tenancy
  endpoints     → tenancy metering
  caching       → observability metering endpoints
  guardrails    → observability discovery endpoints
  sessions      → observability tenancy metering guardrails
  stages        → observability tenancy metering endpoints caching guardrails sessions
  pipeline.ts   → endpoints stages
  server        → observability tenancy metering endpoints caching guardrails pipeline.ts
  boot          → observability discovery tenancy metering endpoints caching guardrails server pipeline.ts
  cli           → discovery tenancy endpoints guardrails server boot
`

const drawn: ReadonlyMap<string, readonly string[]> = new Map(
  drawing
    .trim()
    .split('\n')
    .map((line): [string, string[]] => {
      const [room = '', ...uses] = line.trim().split(/[\s→]+/)
      return [room, uses]
    }),
)

/** The room of a file: the folder below `core/`, or the file itself. */
const roomOf = (path: string) => path.split('/')[1] ?? ''

/** Imports between rooms of core. */
const importsBetweenRooms = () =>
  importsIn('core').filter(({ from, to, isPackage }) => !isPackage && roomOf(from) !== roomOf(to))

/** The file through which other rooms import a room. `pipeline.ts` is one file, and the only one that uses stages. */
const doorOf = (room: string) => (room.endsWith('.ts') ? `core/${room}` : `core/${room}/index.ts`)

const leaving = (folder: string, imports: readonly Import[]) =>
  imports.filter(({ to, isPackage }) => !isPackage && !to.startsWith(`${folder}/`))

const foldersIn = (parent: string) =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${parent}/${name}`)

describe('the architecture', () => {
  it('is tested: there are sources, and their imports are found', () => {
    expect(sourcesIn('core').length).to.be.above(60)
    const targets = importsOf('core/pipeline.ts').map(({ to }) => to)
    expect(targets).to.include.members(['@gateway/flow', 'core/stages/auth.ts', 'core/stages/retry.ts'])
    expect(importsOf('core/discovery/discover.ts').map(({ to }) => to)).to.include('node:module')
    expect(importsOf('core/validation/validate.ts').map(({ to }) => to)).to.include('ajv')
  })

  describe('has imports in one direction:', () => {
    it('the packages below core use only packages listed above them', () => {
      const names = [...below.keys()].map((folder) => `@gateway/${folder.slice('core/'.length)}`)
      for (const [index, [folder, uses]] of [...below].entries()) {
        const own = uses.filter((name) => name.startsWith('@gateway/'))
        expect(names.slice(0, index), folder).to.include.members(own)
      }
    })

    for (const [folder, uses] of below) {
      it(`${folder} imports the packages listed for it, which it declares, and no others`, () => {
        const imports = importsIn(folder)
        expect(packagesOf(folder)).to.deep.equal(uses)
        expect(leaving(folder, imports)).to.deep.equal([])
        expect(undeclared(folder, imports)).to.deep.equal([])
      })
    }

    it('core imports no provider and no plugin, and only packages that it declares', () => {
      const imports = importsIn('core')
      expect(leaving('core', imports)).to.deep.equal([])
      const own = packagesOf('core').filter((name) => name.startsWith('@gateway/'))
      expect(own).to.deep.equal([
        '@gateway/agreement',
        '@gateway/config',
        '@gateway/config-file',
        '@gateway/contract',
        '@gateway/counters',
        '@gateway/domain',
        '@gateway/flow',
        '@gateway/routing',
        '@gateway/store',
        '@gateway/streaming',
        '@gateway/upstream',
        '@gateway/validation',
      ])
      expect(undeclared('core', imports)).to.deep.equal([])
    })

    it('every room of core is in the drawing', () => {
      const rooms = new Set(sourcesIn('core').map(roomOf))
      expect([...rooms].sort()).to.deep.equal([...drawn.keys()].sort())
    })

    it('rooms of core use the rooms that the drawing says, and all of these', () => {
      const used = new Map([...drawn.keys()].map((room) => [room, new Set<string>()]))
      for (const { from, to } of importsBetweenRooms()) used.get(roomOf(from))?.add(roomOf(to))
      const sorted = (rooms: Iterable<string>) => [...rooms].sort().join(' ')
      const found = [...used].map(([room, uses]) => `${room} → ${sorted(uses)}`)
      expect(found).to.deep.equal([...drawn].map(([room, uses]) => `${room} → ${sorted(uses)}`))
    })

    it('rooms of core use only rooms drawn above them, so that there is no cycle', () => {
      const rooms = [...drawn.keys()]
      const wrong = [...drawn].flatMap(([room, uses]) =>
        uses
          .filter((use) => !rooms.slice(0, rooms.indexOf(room)).includes(use))
          .map((use) => `${room} → ${use}`),
      )
      expect(wrong).to.deep.equal([])
    })

    it('a room of core is imported only through its index.ts, which its own files do not import', () => {
      const crossing = importsBetweenRooms().filter(
        ({ from, to }) => !(from === 'core/pipeline.ts' && roomOf(to) === 'stages'),
      )
      expect(crossing.length).to.be.above(100)
      const others = crossing.filter(({ to }) => to !== doorOf(roomOf(to)))
      const own = importsIn('core').filter(
        ({ from, to }) => roomOf(from) === roomOf(to) && to === doorOf(roomOf(to)),
      )
      expect([...others, ...own].map(({ from, to }) => `${from} → ${to}`)).to.deep.equal([])
    })

    it('the index.ts of each room of core, and of each package made of one, describes it, and re-exports by name', () => {
      // All of the contract is public, and the door of patterns is their code.
      const made = [...below.keys()].filter((name) => name !== 'core/contract' && name !== 'core/pattern')
      for (const room of [...made.map((folder) => folder.slice('core/'.length)), ...drawn.keys()]) {
        const path = doorOf(room)
        if (room.endsWith('.ts') || !existsSync(join(root, path))) continue
        const [, words = '', code = ''] = /^\/\*\*([\s\S]+?)\*\/\n([\s\S]+)$/.exec(textOf(path)) ?? []
        expect(words.length, path).to.be.above(30)
        const rest = code.replaceAll(/^export (?:type )?\{[^}]+\} from '\.\/[^']+'$/gm, '').trim()
        expect(rest, path).to.equal('')
      }
    })

    it('the testing package imports only the contract and the harness of core', () => {
      const own = importsIn('core/testing').filter(({ to }) => to.startsWith('@gateway/'))
      expect([...new Set(own.map(({ to }) => to))].sort()).to.deep.equal([
        '@gateway/contract',
        '@gateway/core/harness',
      ])
    })

    it('dialects use nothing of node but hashes: they neither read files nor call anything', () => {
      const dialects = foldersIn('plugins').filter(isDialect)
      expect(dialects).not.to.deep.equal([])
      const used = dialects.flatMap(importsIn).filter(({ to }) => isBuiltin(to) && to !== 'node:crypto')
      expect(used.map(({ from, to }) => `${from} → ${to}`)).to.deep.equal([])
    })

    it('service checks send JSON through the kit, which limits and validates the answer', () => {
      const own = ['plugins/default', 'plugins/kit']
      const callers = foldersIn('plugins')
        .filter((folder) => !own.includes(folder))
        .flatMap(sourcesIn)
        .filter((path) => textOf(path).includes('.fetchJson('))
      expect(callers).to.deep.equal([])
    })

    for (const folder of [...foldersIn('providers'), ...foldersIn('plugins')]) {
      it(`${folder} imports only the contract and packages that it declares`, () => {
        const imports = importsIn(folder)
        const allowed = new Set(['@gateway/contract', ...extraDoors(folder)])
        const own = imports.filter(({ to }) => to.startsWith('@gateway/')).map(({ to }) => to)
        expect([...new Set(own)].filter((to) => !allowed.has(to))).to.deep.equal([])
        expect(leaving(folder, imports)).to.deep.equal([])
        expect(undeclared(folder, imports)).to.deep.equal([])
      })
    }

    for (const folder of [...corePackages, ...foldersIn('providers'), ...foldersIn('plugins')]) {
      it(`${folder} has no cycle`, () => {
        const targets = new Map(
          sourcesIn(folder).map((path) => [path, importsOf(path).filter(({ isPackage }) => !isPackage)]),
        )
        const done = new Set<string>()
        const visit = (path: string, way: readonly string[]) => {
          expect(way, `${way.join(' → ')} → ${path}`).not.to.include(path)
          if (done.has(path)) return
          for (const { to } of targets.get(path) ?? []) visit(to, [...way, path])
          done.add(path)
        }
        for (const path of targets.keys()) visit(path, [])
      })
    }
  })

  describe('separates the rooms of the control plane:', () => {
    const folder = 'plugins/control-plane'
    const roomOf = (path: string) => (dirname(path) === folder ? folder : path.split('/', 3).join('/'))
    const crossing = importsIn(folder).filter(
      ({ from, to, isPackage }) => !isPackage && roomOf(from) !== roomOf(to),
    )
    const roomsBelow = (room: string) =>
      new Set(crossing.filter(({ from }) => roomOf(from) === room).map(({ to }) => roomOf(to)))

    it('a room is imported only through its index.ts', () => {
      expect(crossing.length).to.be.above(100)
      const others = crossing.filter(({ to }) => to !== `${roomOf(to)}/index.ts`)
      expect(others.map(({ from, to }) => `${from} → ${to}`)).to.deep.equal([])
    })

    it('no room depends on itself through others, types included', () => {
      const visit = (room: string, way: readonly string[]) => {
        expect(way, [...way, room].join(' → ')).not.to.include(room)
        for (const next of roomsBelow(room)) visit(next, [...way, room])
      }
      visit(folder, [])
    })

    // An import is counted once per room and imported file, types included.
    it('there are at most 80 imports between rooms', () => {
      const arrows = new Set(crossing.map(({ from, to }) => `${roomOf(from)} → ${to}`))
      expect(arrows.size, [...arrows].join('\n')).to.be.at.most(80)
    })

    it('at most 25 files of a subject import another subject', () => {
      const ground = ['engine', 'shared'].map((name) => `${folder}/${name}`)
      const pairs = crossing.filter(({ from, to }) => roomOf(from) !== folder && !ground.includes(roomOf(to)))
      const files = new Set(pairs.map(({ from, to }) => `${from} → ${roomOf(to)}`))
      expect(files.size, [...files].join('\n')).to.be.at.most(25)
    })
  })

  it('has stages that only the list imports', () => {
    const importers = importsIn('core').filter(({ from, to }) => to.startsWith('core/stages/') && from !== to)
    expect([...new Set(importers.map(({ from }) => from))]).to.deep.equal(['core/pipeline.ts'])
  })

  it('has a file for every stage in the list, and no others', () => {
    const listed = importsOf('core/pipeline.ts')
      .map(({ to }) => to)
      .filter((to) => to.startsWith('core/stages/'))
    expect(listed.sort()).to.deep.equal(sourcesIn('core/stages').sort())
  })

  it('has stages that export only the stage', () => {
    const exporting = sourcesIn('core/stages').map((path) => [...textOf(path).matchAll(/^export /gm)].length)
    expect([...new Set(exporting)]).to.deep.equal([1])
  })

  it('has the stages that the list imports in the list', () => {
    const text = textOf('core/pipeline.ts')
    const names = [...text.matchAll(/import \{ (\w+) \} from '.\/stages\//g)].map(([, name = '']) => name)
    expect(names.length).to.be.above(10)
    const body = text.slice(text.lastIndexOf("from './stages/"))
    for (const name of names) expect(body, name).to.match(new RegExp(`\\b${name}\\b`))
  })

  it('runs properties through assertProperty, so that all of them can run with more cases', () => {
    const own = join('test', 'support', 'assert-property.ts')
    const others = sourcesIn('test').filter((path) => path !== own && /\bfc\s*\.assert\(/.test(textOf(path)))
    expect(others).to.deep.equal([])
  })

  it('calls required() at most ten times: the type of a phase has all its members', () => {
    const asked = corePackages.flatMap(sourcesIn).flatMap((path) => textOf(path).match(/\brequired\(/g) ?? [])
    expect(asked.length).to.be.at.most(10)
  })

  it('has no runtime in the exchange: stages get the ports that they declare', () => {
    for (const path of ['core/flow/exchange.ts', 'core/flow/phases.ts'])
      expect(textOf(path), path).not.to.match(/\b(?:Runtime|Settings)\b/)
  })

  it('has at most ten double casts: elsewhere a generic describes the type', () => {
    const sources = [...corePackages, ...foldersIn('providers'), ...foldersIn('plugins')].flatMap(sourcesIn)
    const casts = sources.flatMap((path) => [...textOf(path).matchAll(/\bas unknown as\b/g)].map(() => path))
    expect(casts.length, casts.join(', ')).to.be.at.most(10)
  })

  it('names vendors only under providers and plugins', async () => {
    const { registry } = await discover({ packages: [], disabled: [], directory: root })
    const names = [...registry.providers.keys()]
    expect(names.length).to.be.above(10)
    const named = new RegExp(`(?<![a-z0-9])(?:${names.join('|')})(?![a-z0-9])`, 'gi')
    // The contract has the names of the wire, and an example.
    const folders = corePackages.filter((folder) => folder !== 'core/contract')
    const found = folders.flatMap(sourcesIn).flatMap((path) => {
      const text = textOf(path)
      // A reference is a URL, and so are the metadata services that the host guard refuses by name, the types of errors
      // in a client's format, and the alias of `/v1` that clients write.
      const prose = text.replaceAll(
        /https?:\/\/\S+|'metadata\.[a-z.]+'|\btype\.googleapis\.com\/google\.rpc\.|'\/openai\/v1\/'/g,
        '',
      )
      return [...prose.matchAll(named)].map(([name]) => `${path}: ${name}`)
    })
    expect(found).to.deep.equal([])
  })

  describe('restricts the exports of core:', () => {
    for (const path of [
      '',
      '/boot',
      '/dist/boot/open-gateway.js',
      '/dist/aliases/contract.js',
      '/contract/errors',
      '/package.json',
    ]) {
      it(`@gateway/core${path} cannot be imported`, async () => {
        const name = `@gateway/core${path}`
        const code = await import(name).then(
          () => 'it is',
          (error: { code?: string }) => error.code,
        )
        expect(code).to.equal('ERR_PACKAGE_PATH_NOT_EXPORTED')
      })
    }

    for (const path of ['contract', 'domain', 'testing']) {
      it(`@gateway/core/${path} can be imported`, async () => {
        expect(Object.keys(await import(`@gateway/core/${path}`))).not.to.deep.equal([])
      })
    }
  })
})
