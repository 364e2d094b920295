/**
 * Cheaper threads for tests, because starting one costs more than most tests. The SQLite thread runs in the test's own
 * thread, behind the same messages, unless a store of this process has the same file open: SQLite waits for the other
 * writer without letting this thread go on. Other threads run their bundled file, which loads in a fifth of the time, if
 * `npm test` says that the bundle is up to date. Child processes use real threads.
 */
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import workerThreads, { MessageChannel, type WorkerOptions } from 'node:worker_threads'
import type { WorkerOptions as StoreFiles } from '#store-sql/worker-messages'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const storeThread = join(root, 'plugins', 'store-sql', 'dist', 'worker.js')
const openPaths = new Set<string>()
let isCheap = true
const { Worker } = workerThreads

/** The members of a thread that the store uses. */
class StoreInThisThread extends EventEmitter {
  readonly #near
  readonly #path

  constructor(files: StoreFiles) {
    super()
    const { port1, port2 } = new MessageChannel()
    this.#near = port1
    this.#path = files.mainPath
    if (files.mainPath !== ':memory:') openPaths.add(files.mainPath)
    port1.on('message', (message: unknown) => this.emit('message', message))
    void import('#store-sql/serve-files').then(
      ({ serveFiles }) => {
        serveFiles(port2, files)
        port2.unref()
      },
      (error: unknown) => this.emit('error', error),
    )
  }

  postMessage(message: unknown): void {
    this.#near.postMessage(message)
  }

  ref(): void {
    this.#near.ref()
  }

  unref(): void {
    this.#near.unref()
  }

  async terminate(): Promise<number> {
    openPaths.delete(this.#path)
    this.#near.close()
    this.emit('exit', 0)
    return 0
  }
}

function start(file: string | URL, options?: WorkerOptions) {
  const path = file instanceof URL ? fileURLToPath(file) : file
  const files: StoreFiles | undefined = options?.workerData
  if (isCheap && path === storeThread && files !== undefined && !openPaths.has(files.mainPath))
    return new StoreInThisThread(files)
  return new Worker(bundledFileOf(path) ?? file, options)
}

/** The name given by core/cli/bin/bundle.js. */
function bundledFileOf(path: string): string | null {
  if (process.env.TEST_BUNDLED_THREADS !== '1') return null
  const name = relative(root, path).replaceAll(sep, '-').replace(/js$/, 'cjs')
  const bundled = join(root, 'core', 'dist', name)
  return existsSync(bundled) ? bundled : null
}

export function startThreadsCheaply(): void {
  const construct = (_: typeof Worker, [file, options]: [string | URL, WorkerOptions?]) =>
    start(file, options)
  Object.assign(workerThreads, { Worker: new Proxy(Worker, { construct }) })
  syncBuiltinESMExports()
}

/** Within a suite: the SQLite thread is a real thread, whose end closes its files even if they are still referenced. */
export function useRealThreads(): void {
  before(() => {
    isCheap = false
  })
  after(() => {
    isCheap = true
  })
}
