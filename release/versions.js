/** The packages of the checkout and their version: one for all of them, in every manifest and in the lock file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const dependencyKeys = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

const read = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** Writes only what changes, as npm would. */
function write(path, value) {
  const text = `${JSON.stringify(value, null, 2)}\n`
  if (readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}

/** Every workspace of the lock file: `{ folder, manifest }`, the checkout itself first, with the folder ''. */
export function packagesOf(root) {
  const { packages } = read(join(root, 'package-lock.json'))
  const folders = Object.keys(packages).filter((folder) => !folder.includes('node_modules/'))
  return folders.map((folder) => ({ folder, manifest: read(join(root, folder, 'package.json')) }))
}

/**
 * The links that a registry shows, in every public package: from the one setting `repository.url` of the checkout's own
 * manifest. Without it, packages have none.
 */
export function setLinks(root) {
  const [{ manifest: own }, ...packages] = packagesOf(root)
  const url = own.repository?.url
  if (url === undefined) return
  const page = url.replace(/^git\+/, '').replace(/\.git$/, '')
  for (const { folder, manifest } of packages) {
    if (manifest.private === true) continue
    manifest.repository = { type: 'git', url, directory: folder }
    manifest.homepage = `${page}#readme`
    manifest.bugs = { url: `${page}/issues` }
    write(join(root, folder, 'package.json'), manifest)
  }
}

/** Sets the version everywhere, and in what the packages need of each other. */
export function setVersion(root, version) {
  const packages = packagesOf(root)
  const own = new Set(packages.map(({ manifest }) => manifest.name))
  const lockPath = join(root, 'package-lock.json')
  const lock = read(lockPath)
  const adapt = (manifest) => {
    manifest.version = version
    for (const key of dependencyKeys) {
      for (const name of Object.keys(manifest[key] ?? {})) if (own.has(name)) manifest[key][name] = version
    }
  }
  for (const { folder, manifest } of packages) {
    adapt(manifest)
    write(join(root, folder, 'package.json'), manifest)
    adapt(lock.packages[folder])
  }
  lock.version = version
  write(lockPath, lock)
  const chartPath = join(root, 'deploy/helm/gateway/Chart.yaml')
  // The release's tests write versions into checkouts that have only packages.
  if (!existsSync(chartPath)) return
  const chart = readFileSync(chartPath, 'utf8')
  writeFileSync(chartPath, chart.replace(/^((?:appV|v)ersion: ).*$/gm, `$1${version}`))
}
