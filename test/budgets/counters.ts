/**
 * Loaded into the measured process (`node --import`): counts promises and allocated bytes on command of its parent, and in
 * which functions they come into being. Threads of the process count nothing.
 */
import { createHook } from 'node:async_hooks'
import { type HeapProfiler, Session } from 'node:inspector'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GCProfiler, getHeapStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'
import type { Counted, Order } from './counted.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Bytes between two samples on average: about 1,700 samples in 1,500 requests of a chat. Each takes a millisecond. */
const SAMPLING_INTERVAL = 65_536

/** A function without its line number, which changes more often than the function. */
function nameOf(name: string | null, url: string | null | undefined): string {
  const text = url ?? ''
  const path = text.startsWith('file:') ? relative(root, fileURLToPath(text)) : text.replace(root, '')
  return `${name || '(anonymous)'} ${path === '' ? '(V8)' : path}`
}

class Sums {
  readonly functions: Record<string, number> = {}
  total = 0

  add(name: string, amount: number): void {
    this.total += amount
    this.functions[name] = (this.functions[name] ?? 0) + amount
  }
}

let promises = 0
const counting = createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises += 1
  },
})

let callers = new Sums()
/** Slow: for a few requests. */
const naming = createHook({
  init(_id, type) {
    if (type === 'PROMISE') callers.add(callerName(), 1)
  },
})

/** The innermost function outside Node and this file. */
function callerName(): string {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.stackTraceLimit = 20
  let frames: readonly NodeJS.CallSite[] = []
  Error.prepareStackTrace = (_error, sites) => {
    frames = sites
    return ''
  }
  // Reading the stack is what prepares it.
  void new Error('promise').stack
  Error.prepareStackTrace = prepareStackTrace
  Error.stackTraceLimit = stackTraceLimit
  const own = frames.find((frame) => isOwn(frame.getFileName()))
  return own === undefined ? '(Node)' : nameOf(own.getFunctionName(), own.getFileName())
}

const isOwn = (file: string | null | undefined) =>
  file != null && !file.startsWith('node:') && file !== import.meta.url

let profiler = new GCProfiler()
let usedAtStart = 0

function startBytes(): void {
  profiler = new GCProfiler()
  usedAtStart = getHeapStatistics().used_heap_size
  profiler.start()
}

/** The bytes in use now, and those collected since the start. */
function stopBytes(): number {
  const used = getHeapStatistics().used_heap_size
  const collected = profiler
    .stop()
    ?.statistics.map(
      ({ beforeGC, afterGC }) => beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
    )
  return (collected ?? []).reduce((sum, bytes) => sum + bytes, used - usedAtStart)
}

const session = new Session()

function startSampling(): void {
  session.connect()
  const options = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  session.post('HeapProfiler.startSampling', { samplingInterval: SAMPLING_INTERVAL, ...options })
}

function stopSampling(): Counted {
  const sums = new Sums()
  const visit = (
    { callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode,
    caller: string,
  ): void => {
    const own = nameOf(callFrame.functionName, callFrame.url)
    // A function of V8, such as `Map`, says little without its caller.
    const name = callFrame.url === '' && caller !== '' ? `${own} of ${caller}` : own
    if (selfSize > 0) sums.add(name, selfSize)
    for (const child of children) visit(child, own)
  }
  // Commands of a session on its own thread are answered synchronously.
  session.post('HeapProfiler.stopSampling', (_error, { profile }) => visit(profile.head, ''))
  session.disconnect()
  return sums
}

const orders: Readonly<Record<Order, () => Counted>> = {
  'count promises': () => {
    promises = 0
    counting.enable()
    return { total: 0, functions: {} }
  },
  'promises counted': () => {
    counting.disable()
    return { total: promises, functions: {} }
  },
  'name promises': () => {
    callers = new Sums()
    naming.enable()
    return callers
  },
  'promises named': () => {
    naming.disable()
    return callers
  },
  'count bytes': () => {
    startBytes()
    return { total: 0, functions: {} }
  },
  'bytes counted': () => ({ total: stopBytes(), functions: {} }),
  'sample allocations': () => {
    startSampling()
    return { total: 0, functions: {} }
  },
  'allocations sampled': stopSampling,
}

if (isMainThread) {
  process.on('message', (order: Order) => {
    const { total, functions } = orders[order]()
    process.send?.({ total, functions })
  })
  // The process ends as it does without this.
  process.channel?.unref()
}
