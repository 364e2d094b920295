/** An organisation's decrypted plugin settings, by plugin name. */
import { isGatewayError, isObject, type JsonObject, type Sealer } from '@gateway/contract'
import { type DocumentOf, recordOf } from '@gateway/domain'

export interface PluginSettingsOptions {
  sealer: Sealer
  /** Called for settings whose secrets cannot be read: they are left out, and checks that need them are refused. */
  report(slug: string, reason: string): void
}

export function storedPluginSettings(
  documents: readonly DocumentOf<'plugin_settings'>[],
  { sealer, report }: PluginSettingsOptions,
): Record<string, JsonObject> {
  const byPlugin: Record<string, JsonObject> = Object.create(null)
  for (const document of documents) {
    const { plugin, settings, sealed } = document.data
    try {
      const opened: unknown = sealed === null ? {} : JSON.parse(sealer.open(sealed, recordOf(document)))
      byPlugin[plugin] = { ...settings, ...(isObject(opened) ? (opened as JsonObject) : {}) }
    } catch (error) {
      if (!isGatewayError(error)) throw error
      report(plugin, error.message)
    }
  }
  return byPlugin
}
