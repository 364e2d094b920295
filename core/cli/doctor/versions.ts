/** The versions of Node and of the gateway's packages. */
import { readFile } from 'node:fs/promises'
import { contractVersion } from '@gateway/contract'
import type { Registry } from '@gateway/flow'
import { type Finding, failed, ok, warning } from './finding.ts'

/** The oldest version of Node that the gateway runs on, as in `engines`. */
const oldestNode = [20, 19] as const

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor, wantedMinor] = oldestNode
  const isOld = major < wantedMajor || (major === wantedMajor && minor < wantedMinor)
  const wanted = `Node.js ${oldestNode.join('.')} or later is needed`
  return isOld
    ? failed('node', `Node.js ${version}. ${wanted}`, 'Install a later version of Node.js.')
    : ok('node', `Node.js ${version}`)
}

/** @param version of the gateway */
export function checkVersions({ packages }: Pick<Registry, 'packages'>, version: string): Finding {
  const own = packages.filter(({ name }) => name.startsWith('@gateway/'))
  const others = own.filter((each) => each.version !== version)
  const loaded = `gateway ${version}, contract ${contractVersion}, ${packages.length} packages`
  if (others.length === 0) return ok('versions', loaded)
  const names = others.map((each) => `${each.name} ${each.version}`).join(', ')
  return warning('versions', `${loaded}, of other versions: ${names}`, `Install version ${version} of them.`)
}

export async function gatewayVersion(): Promise<string> {
  const manifest = await readFile(new URL('../../../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(manifest) as { version: unknown }).version)
}
