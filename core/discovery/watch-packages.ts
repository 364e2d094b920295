/**
 * Packages configured by path are in development: when a file changes, the package is reloaded without a restart. Old
 * versions stay in memory until the process ends, so packages installed by name are not watched.
 */
import { register } from 'node:module'
import { type WatchedTree, watchTree } from './watch-folder.ts'

export interface WatchedPackages {
  /** The number of changes per directory. */
  readonly generations: ReadonlyMap<string, number>
  /** Replaces the watched directories. */
  watch(directories: readonly string[]): void
  close(): void
}

/** A build writes many files, which count as one change. */
const settleMs = 300

let isRegistered = false

/** @param onChange called once a change has settled, with the directories that changed; `generations` counts it by then */
export function watchPackages(
  onChange: (directories: readonly string[]) => void,
  onError: (directory: string, error: Error) => void,
): WatchedPackages {
  const generations = new Map<string, number>()
  const trees = new Map<string, WatchedTree>()
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const settle = () => {
    if (!isRegistered) register('./reload-hooks.js', import.meta.url)
    isRegistered = true
    const directories = [...changed]
    for (const directory of directories) generations.set(directory, (generations.get(directory) ?? 0) + 1)
    changed.clear()
    onChange(directories)
  }

  const open = (directory: string): WatchedTree => {
    const onFile = (path: string) => {
      if (!isCode(path)) return
      changed.add(directory)
      clearTimeout(timer)
      timer = setTimeout(settle, settleMs).unref()
    }
    return watchTree(directory, onFile, (error) => onError(directory, error))
  }

  return {
    generations,
    watch(directories) {
      for (const [directory, tree] of trees) {
        if (directories.includes(directory) && tree.isOpen()) continue
        tree.close()
        trees.delete(directory)
      }
      for (const directory of directories) {
        if (!trees.has(directory)) trees.set(directory, open(directory))
      }
    },
    close() {
      clearTimeout(timer)
      for (const tree of trees.values()) tree.close()
    },
  }
}

/** Files that affect a package: compiled modules and its manifest, not its sources. */
const isCode = (path: string): boolean => /\.(js|mjs|cjs|json)$/.test(path)
