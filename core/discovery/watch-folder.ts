/**
 * Watches a folder and its subfolders except dependencies. Node's recursive watching is unsuitable: on Linux it watches
 * each file, including dependencies, and loses files replaced by renaming.
 */
import { type FSWatcher, readdirSync, type Stats, statSync, watch } from 'node:fs'
import { join, sep } from 'node:path'

export interface WatchedTree {
  /** False once the folder has been deleted and no events can follow. */
  isOpen(): boolean
  close(): void
}

/** @param onFile called with the path of each written or added file; not for removed ones */
export function watchTree(
  root: string,
  onFile: (path: string) => void,
  onError: (error: Error) => void,
): WatchedTree {
  const watchers = new Map<string, FSWatcher>()

  const open = (folder: string, isNew: boolean) => {
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        if (name !== null) look(join(folder, name), name, event)
        if (!statOf(folder)?.isDirectory()) drop(folder)
      })
      watcher.on('error', onError)
      watchers.set(folder, watcher)
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name)
        if (entry.isDirectory() && isOwn(entry.name)) open(path, isNew)
        // Reports files that were written before watching began.
        else if (entry.isFile() && isNew) onFile(path)
      }
    } catch (error) {
      // A new folder may already be gone.
      if (statOf(folder) !== null) onError(error instanceof Error ? error : new Error(String(error)))
    }
  }

  const look = (path: string, name: string, event: string) => {
    const found = statOf(path)
    if (found?.isFile()) onFile(path)
    // A new folder may replace a removed one, whose watcher is then useless.
    if (event !== 'rename' || !found?.isDirectory() || !isOwn(name)) return
    drop(path)
    open(path, true)
  }

  const drop = (folder: string) => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue
      watcher.close()
      watchers.delete(path)
    }
  }

  open(root, false)
  return { isOpen: () => watchers.has(root), close: () => drop(root) }
}

const isOwn = (folderName: string): boolean => folderName !== 'node_modules' && !folderName.startsWith('.')

/** Null when it does not exist or is not accessible. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}
