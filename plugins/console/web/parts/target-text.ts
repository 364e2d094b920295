/**
 * A target in words, by its place in the config: `config.targets[1].targets[0]` is target 2.1. A config without targets
 * is one itself.
 */
export function targetText(path: string): string {
  const places = [...path.matchAll(/\.targets\[(\d+)\]/g)].map(([, index]) => Number(index) + 1)
  return places.length === 0 ? 'the config' : `target ${places.join('.')}`
}
