/**
 * Generates the types of the management API for the console's pages from the OpenAPI document of a gateway of this
 * checkout. Generation takes seconds, so it is skipped while no package is newer, and mostly skipped while the document
 * is unchanged. https://openapi-ts.dev/node
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { core, packageFolders } from '../../core/cli/bin/freshness.js'

const folder = import.meta.dirname
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** The inputs: all packages except this one, whose routes the pages do not call, and the generator. */
const sources = () => [
  ...packageFolders()
    .filter((one) => one !== folder)
    .map((one) => join(one, 'dist', 'tsconfig.tsbuildinfo')),
  import.meta.filename,
  createRequire(import.meta.url).resolve('openapi-typescript/package.json'),
]

const markOf = (text) =>
  `// Made from the OpenAPI document with the hash ${createHash('sha256').update(text).digest('hex')}.\n`

/** @param path path of the `.d.ts` file */
export async function writeApiTypes(path) {
  const written = changedAt(path)
  if (written > 0 && sources().every((source) => changedAt(source) <= written)) return
  // A separate process keeps the gateway's packages out of the build.
  const text = execFileSync(process.execPath, [join(core, 'cli', 'bin', 'print-openapi.js')], {
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const mark = markOf(text + readFileSync(import.meta.filename, 'utf8'))
  if (existsSync(path) && readFileSync(path, 'utf8').startsWith(mark)) {
    utimesSync(path, new Date(), new Date())
    return
  }
  const { default: generate, astToString } = await import('openapi-typescript')
  // A member with a default may be omitted from a body.
  const types = await generate(JSON.parse(text), { silent: true, defaultNonNullable: false })
  writeFileSync(path, mark + astToString(types))
}
