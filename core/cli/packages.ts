/** Discovers packages for commands that do not start the gateway. */
import { dirname } from 'node:path'
import { peekPackages, readFileText } from '@gateway/config-file'
import type { Registry } from '@gateway/flow'
import { describeDiscoveryFault, describeFaults, locateConfig } from '../boot/index.ts'
import { discover } from '../discovery/index.ts'
import type { Terminal } from './terminal.ts'

export interface FoundPackages {
  /** The path as it was given, for messages. */
  written: string
  /** The absolute path; that of the built-in file if no file exists at the default path. */
  path: string
  isBuiltIn: boolean
  registry: Registry
  /** One line each. */
  faults: string[]
}

/**
 * Finds the packages.
 * @param values the command's options; a config file that they or the environment name must exist
 */
export async function findPackages(
  values: { config?: string | undefined },
  terminal: Terminal,
): Promise<FoundPackages> {
  const { written, path, isBuiltIn } = locateConfig(values, terminal.environment, terminal.directory)
  const named = await peekPackages(path, terminal.environment)
  const { registry, faults } = await discover({ ...named, directory: dirname(path) })
  const described = faults.map((fault) => describeDiscoveryFault(fault, written, named.places))
  const text = await readFileText(path)
  if (typeof text !== 'string') described.unshift(...describeFaults(written, [text]))
  return { written, path, isBuiltIn, registry, faults: described }
}
