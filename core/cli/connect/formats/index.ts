/** The formats of settings files by name. */
import type { SettingsFormat } from './format.ts'
import { jsonc } from './jsonc.ts'
import { dotenv, shell, toml } from './lines.ts'
import { yaml } from './yaml.ts'

export type FormatName = 'json' | 'toml' | 'yaml' | 'shell' | 'dotenv'

export const formats: Readonly<Record<FormatName, SettingsFormat>> = {
  json: jsonc,
  toml,
  yaml,
  shell,
  dotenv,
}
