/** Settings of plugins in the config file. */

import type { ConfigFile } from '@gateway/config-file'
import { type Fault, type GuardrailPlugin, isObject, type JsonObject } from '@gateway/contract'
import type { Registry } from '@gateway/flow'
import { createValidator, toFaults } from '@gateway/validation'

/**
 * Settings of plugins. Config keys are snake_case, so `api_key` is accepted for a plugin's `apiKey` (contract section
 * 1).
 */
export function pluginSettingsOf(file: ConfigFile, registry: Registry): Record<string, JsonObject> {
  const plugins = new Map([...registry.checks.values()].map(({ plugin }) => [plugin.name, plugin]))
  // The file has passed its schema.
  const settings = Object.entries(file.plugins.settings as Record<string, JsonObject>)
  return Object.fromEntries(
    settings.map(([name, given]) => [name, inSpellingOf(plugins.get(name)?.settings, given)]),
  )
}

function inSpellingOf(schema: GuardrailPlugin['settings'], given: JsonObject): JsonObject {
  const known: unknown = schema?.properties
  if (!isObject(known)) return given
  const spelled = (key: string) => {
    const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const isOther = !Object.hasOwn(known, key) && Object.hasOwn(known, camel) && !Object.hasOwn(given, camel)
    return isOther ? camel : key
  }
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [spelled(key), value]))
}

/** Validates plugin settings against the plugin's own schema, if any. */
export function checkPluginSettings(file: ConfigFile, registry: Registry, faults: Fault[]): void {
  const plugins = new Map([...registry.checks.values()].map(({ plugin }) => [plugin.name, plugin]))
  for (const [name, settings] of Object.entries(pluginSettingsOf(file, registry))) {
    const schema = plugins.get(name)?.settings
    const errors = schema === undefined ? null : createValidator(schema)(settings)
    if (errors !== null) faults.push(...toFaults(errors, 'invalid_config', `/plugins/settings/${name}`))
  }
}
