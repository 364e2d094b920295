/** Summary of guardrail plugins for services: the installed ones, and those disabled in the config file. */

import { strangeAddresses } from '@gateway/config'
import type { JsonObject, PluginSummary } from '@gateway/contract'
import type { Registry, Settings } from '@gateway/flow'

export function summarisePlugins(
  { checks, packages, disabledPlugins }: Pick<Registry, 'checks' | 'packages' | 'disabledPlugins'>,
  { context }: Pick<Settings, 'context'>,
): PluginSummary[] {
  const declaredOf = (name: string): JsonObject | null =>
    Object.hasOwn(context.pluginSettings, name) ? (context.pluginSettings[name] ?? null) : null
  const found = new Map<string, PluginSummary>()
  for (const [id, { plugin }] of checks) {
    if (found.has(plugin.name)) continue
    found.set(plugin.name, {
      name: plugin.name,
      title: plugin.title,
      version: packages.find(({ provides }) => provides.includes(id))?.version ?? '0.0.0',
      isEnabled: true,
      settings: plugin.settings ?? null,
      faultsOf: (settings) => strangeAddresses(plugin, settings, { context }),
      declared: declaredOf(plugin.name),
    })
  }
  for (const { name, title, version } of disabledPlugins) {
    if (found.has(name)) continue
    const declared = declaredOf(name)
    found.set(name, { name, title, version, isEnabled: false, settings: null, faultsOf: () => [], declared })
  }
  return [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1))
}
