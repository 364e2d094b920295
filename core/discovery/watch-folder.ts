/**
 * Watches a folder and those below it, dependencies left out. Not Node's own recursive watching: on Linux that watches
 * each file by itself, those of dependencies too, and loses one that is replaced by renaming.
 */
import { type FSWatcher, readdirSync, type Stats, statSync, watch } from 'node:fs'
import { join, sep } from 'node:path'

export interface WatchedTree {
  /** False once the folder itself is gone: then there is nothing more to come. */
  isOpen(): boolean
  close(): void
}

/** @param onFile called with the path of each file that was written or came; not for those that went */
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
        // What was written before the watching began.
        else if (entry.isFile() && isNew) onFile(path)
      }
    } catch (error) {
      // A folder may be gone as soon as it came.
      if (statOf(folder) !== null) onError(error instanceof Error ? error : new Error(String(error)))
    }
  }

  const look = (path: string, name: string, event: string) => {
    const found = statOf(path)
    if (found?.isFile()) onFile(path)
    // A folder that came may stand where one went: its watcher is of no use any more.
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

/** Null for what is not there, and for what may not be looked at. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}
