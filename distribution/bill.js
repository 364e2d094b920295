/** The software bill of materials of the gateway: CycloneDX 1.5, of every package that is installed at run time. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** From the lock file, so that it does not depend on this machine. */
export function billText(root) {
  const words = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  const options = {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    shell: process.platform === 'win32',
  }
  const bill = keepRuntime(JSON.parse(execFileSync('npm', words, options)), root)
  // npm names packages of the checkout after their folders.
  for (const component of [bill.metadata.component, ...bill.components])
    component.name = component['bom-ref'].slice(0, component['bom-ref'].lastIndexOf('@'))
  return `${JSON.stringify(bill, null, 2)}\n`
}

/**
 * Leaves out what only development needs, by what the lock file says: `npm sbom --omit dev` also leaves out what a package
 * needs at run time and the checkout for its tests.
 */
function keepRuntime(bill, root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const runtime = new Set(
    Object.entries(packages)
      .filter(([, { dev, link }]) => dev !== true && link !== true)
      .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  )
  const isKept = (ref) => runtime.has(ref.split('|')[0])
  return {
    ...bill,
    components: bill.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => isKept(ref))
      .map((entry) => ({ ...entry, dependsOn: (entry.dependsOn ?? []).filter(isKept) })),
  }
}
