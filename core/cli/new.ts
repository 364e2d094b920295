/** `gateway new`: copies a template to ./NAME: a package that builds, passes its tests and loads without changes. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command, readArguments, unknownWord } from './command.ts'
import { linkDependencies } from './link-dependencies.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const core = fileURLToPath(new URL('../..', import.meta.url))

/** Each is a folder of `templates`. */
const kinds = ['plugin', 'service-check', 'provider']

/** npm drops `.gitignore` from published packages, so the template stores it under another name. */
const fileNames: Readonly<Record<string, string>> = { gitignore: '.gitignore' }

export const command: Command = {
  async run(words, terminal) {
    const { positionals } = readArguments(words, {}, 2)
    const [kind, name] = positionals
    if (kind === undefined || !kinds.includes(kind))
      throw unknownWord('kind of package', kind, {
        known: [...kinds],
        missing: `new needs one of ${kinds.join(', ')}, and a NAME.`,
      })
    if (name === undefined || name.length > 64 || !/^[a-z][a-z0-9-]*$/.test(name)) {
      throw new UsageError('NAME must be lowercase letters, digits and hyphens, and begin with a letter.')
    }
    return scaffold(kind, name, terminal)
  },
}

async function scaffold(kind: string, name: string, terminal: Terminal): Promise<number> {
  const target = join(await realpath(terminal.directory), name)
  if (existsSync(target)) {
    terminal.err(`${target} already exists. Choose another name, or remove it.\n`)
    return exitCodes.failed
  }
  const values: Record<string, string> = {
    name,
    title: title(name),
    ...(await gatewayPackages(target)),
  }
  await copy(join(core, 'cli', 'templates', kind), target, values)
  const missing = await linkDependencies(target)
  const install = missing.length > 0 ? `  npm install   # for ${missing.join(' ')}\n` : ''
  terminal.out(
    `Made ${target}.\n\n  cd ${name}\n${install}  npm test\n\n` +
      `${name}/gateway.example.yaml is a config file that uses it.\n`,
  )
  return exitCodes.done
}

async function copy(from: string, to: string, values: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(to)
  for (const item of await readdir(from, { withFileTypes: true })) {
    const source = join(from, item.name)
    const target = join(to, fileNames[item.name] ?? item.name)
    if (item.isDirectory()) await copy(source, target, values)
    else await writeFile(target, fill(await readFile(source, 'utf8'), values))
  }
}

/** The values of `{{name}}` placeholders in a template. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{([a-z]+)\}\}/g, (written, name: string) => values[name] ?? written)
}

/** `word-limits` is titled `Word limits`. */
function title(name: string): string {
  const words = name.split('-').filter((word) => word !== '')
  return [words[0]?.replace(/^./, (letter) => letter.toUpperCase()), ...words.slice(1)].join(' ')
}

function pathFrom(folder: string, to: string): string {
  const path = relative(folder, to).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

/** The gateway packages that a template depends on, as named in package.json. */
async function gatewayPackages(target: string): Promise<Record<string, string>> {
  if (!hasModules()) {
    const { version, dependencies = {} } = await readManifest(core)
    const range = `^${version}`
    const typebox = dependencies['@sinclair/typebox'] ?? ''
    return { core: range, contract: range, testing: range, kit: range, typebox, contractversion: version }
  }
  const link = async (name: string, folder: string) =>
    `file:${pathFrom(target, await findPackage(name, folder))}`
  return {
    core: `file:${pathFrom(target, await realpath(core))}`,
    contract: await link('contract', 'core/contract'),
    testing: await link('testing', 'core/testing'),
    kit: await link('provider-kit', 'providers/kit'),
    typebox: await versionOf('@sinclair/typebox'),
    contractversion: await versionOf('@gateway/contract'),
  }
}

/** Whether the gateway's packages are installed, instead of only the bundle. npm then links a new package to them. */
const hasModules = () => existsSync(join(core, 'dist', 'cli', 'main.js'))

/** The folder of a gateway package: in core's checkout, otherwise next to core in node_modules. */
function findPackage(name: string, folder: string): Promise<string> {
  const inCheckout = join(core, '..', folder)
  return realpath(existsSync(join(inCheckout, 'package.json')) ? inCheckout : join(core, '..', name))
}

/** The gateway's own version, because schema types of two versions are incompatible. */
async function versionOf(name: string): Promise<string> {
  const entry = createRequire(import.meta.url).resolve(name)
  for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
    if (!existsSync(join(folder, 'package.json'))) continue
    const { name: found, version } = await readManifest(folder)
    if (found === name) return version
  }
  throw new Error(`The version of ${name} is not known.`)
}

interface Manifest {
  name: string
  version: string
  dependencies?: Record<string, string>
}

const readManifest = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
