/**
 * Where the config file is, by one rule for every command. Without a file at the default path a built-in one is used, with
 * the embedded provider, so that the gateway answers before anything is configured.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../config/index.ts'
import { configPath, type Flags } from './options.ts'

export interface ConfigLocation {
  /** As it was given, for messages. */
  written: string
  /** Absolute. */
  path: string
  isBuiltIn: boolean
}

const builtIn = fileURLToPath(new URL('../../cli/templates/no-config-file.yaml', import.meta.url))

/** @param directory where relative paths begin */
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

/** How a command's output describes the file. */
export const builtInNotice = (written: string) =>
  `No config file at ${written}: only the embedded provider is configured. Create one with "gateway init".`
