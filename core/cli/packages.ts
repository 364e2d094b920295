/** Discovers packages for commands that do not start the gateway. */
import { dirname, resolve } from 'node:path'
import { describeDiscoveryFault, describeFaults } from '../boot/describe-faults.ts'
import { configPath } from '../boot/options.ts'
import { peekPackages } from '../config/file/peek.ts'
import { readFileText } from '../config/file/read-file.ts'
import { discover } from '../discovery/discover.ts'
import type { Registry } from '../flow/registry.ts'
import type { Terminal } from './terminal.ts'

export interface FoundPackages {
  /** As it was given, for messages. */
  written: string
  path: string
  registry: Registry
  /** One line each. */
  faults: string[]
}

/**
 * Finds the packages.
 * @param values the command's options; a config file named by them or the environment must exist
 */
export async function findPackages(
  values: { config?: string | undefined },
  terminal: Terminal,
): Promise<FoundPackages> {
  const written = configPath(values, terminal.environment)
  const path = resolve(terminal.directory, written)
  const named = await peekPackages(path, terminal.environment)
  const { registry, faults } = await discover({ ...named, directory: dirname(path) })
  const described = faults.map((fault) => describeDiscoveryFault(fault, written, named.places))
  if (configPath({}, {}) !== written) {
    const text = await readFileText(path)
    if (typeof text !== 'string') described.unshift(...describeFaults(written, [text]))
  }
  return { written, path, registry, faults: described }
}
