/**
 * Locates the config file, by one rule for every command. Without a file at the default path, a built-in file with the
 * embedded provider is used, so the gateway can answer before anything is configured.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '@gateway/config-file'
import { configPath, type Flags } from './options.ts'

export interface ConfigLocation {
  /** The path as it was given, for messages. */
  written: string
  /** Absolute. */
  path: string
  isBuiltIn: boolean
}

const builtIn = fileURLToPath(new URL('../../cli/templates/no-config-file.yaml', import.meta.url))

/** @param directory the base of relative paths */
export function locateConfig(
  flags: Pick<Flags, 'config'>,
  environment: Environment,
  directory: string,
): ConfigLocation {
  const written = configPath(flags, environment)
  const path = resolve(directory, written)
  const isBuiltIn = written === configPath({}, {}) && !existsSync(path)
  return { written, path: isBuiltIn ? builtIn : path, isBuiltIn }
}

/** The notice of a command that runs with the built-in file. */
export const builtInNotice = (written: string) =>
  `No config file at ${written}: only the embedded provider is configured. Create one with "gateway init".`
