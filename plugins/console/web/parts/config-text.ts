/** Describes a config in a few words: the slug of a saved one, or the target and model of an inline one. */
import { rowOf, rowsOf } from '../json.ts'

const mostChars = 80

const cut = (text: string) => (text.length > mostChars ? `${text.slice(0, mostChars)}…` : text)

/** @param config as in replays and shadows */
export function configText(config: unknown): string {
  if (typeof config === 'string') return config
  const row = rowOf(config)
  const { provider, virtual_key: key, targets, strategy } = row
  const { model } = rowOf(row.override_params)
  const names = [provider, key, model].filter((one) => typeof one === 'string')
  if (names.length > 0) return cut(names.join(' / '))
  const count = rowsOf(targets).length
  if (count > 0) return `${String(rowOf(strategy).mode ?? 'config')} of ${count} targets`
  return cut(JSON.stringify(config ?? null))
}

/** Lists every node of a config that has a shadow, with its path as the gateway writes it. */
export function shadowsOf(
  config: unknown,
  path = 'config',
): { path: string; shadow: Record<string, unknown> }[] {
  const node = rowOf(config)
  return [
    ...(node.shadow === undefined || node.shadow === null ? [] : [{ path, shadow: rowOf(node.shadow) }]),
    ...rowsOf(node.targets).flatMap((target, index) => shadowsOf(target, `${path}.targets[${index}]`)),
  ]
}
