/** `gateway start`: one process, or a primary with workers; signals, reloads, and a graceful end. */
import cluster from 'node:cluster'
import { unwatchFile, watchFile } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import process from 'node:process'
import { createLog, type LogOutput } from '../observability/log.ts'
import { joinMetrics } from '../observability/worker-metrics.ts'
import { useSingleThreadScavenges } from '../server/node/single-thread-scavenges.ts'
import { createClusterSharedState } from '../store/cluster.ts'
import { printKey } from './admin-key.ts'
import { type Gateway, openGateway } from './open-gateway.ts'
import { configPath, type Flags, resolveOptions } from './options.ts'
import { describeStartError } from './start-error.ts'
import { readyMessage, runPrimary, workersOf } from './workers.ts'

/** How often the config file is looked at, in milliseconds. */
const watchMs = 500

/** Runs until a signal ends it; gives the exit code. */
export async function runStart(flags: Flags): Promise<number> {
  const path = resolve(configPath(flags, process.env))
  const workers = cluster.isPrimary ? workersOf(flags, process.env) : 1
  if (workers > 1) return runPrimary(path, flags, workers)
  return runProcess(path, flags)
}

async function runProcess(path: string, flags: Flags): Promise<number> {
  if (cluster.isWorker || availableParallelism() === 1) useSingleThreadScavenges()
  const output = createLog(resolveOptions(flags, process.env, null).options.logLevel)
  const { log, flush } = output
  const gateway = await open(path, flags, output)
  if (gateway === null) {
    flush()
    leaveCluster()
    return 1
  }
  log.info({ url: gateway.url, providers: gateway.runtime.registry.providers.size }, 'listening')
  cluster.worker?.send(readyMessage)
  const onChange = () => void gateway.reload()
  watchFile(path, { interval: watchMs }, onChange)
  process.on('SIGHUP', onChange)
  await untilSignal()
  log.info('shutting down')
  unwatchFile(path, onChange)
  await gateway.close()
  log.info('stopped')
  flush()
  leaveCluster()
  return 0
}

/** The channel to the primary would keep a worker alive. */
function leaveCluster(): void {
  if (cluster.isWorker && process.connected) process.disconnect()
}

async function open(path: string, flags: Flags, { log, logRequest }: LogOutput): Promise<Gateway | null> {
  try {
    return await openGateway({
      configPath: path,
      flags,
      environment: process.env,
      log,
      logRequest,
      printKey,
      ...(cluster.isWorker ? { shared: createClusterSharedState(), joinMetrics } : {}),
    })
  } catch (error) {
    const message = describeStartError(error)
    if (message === null) throw error
    process.stderr.write(`${message}\n`)
    return null
  }
}

/** A signal that comes again changes nothing: a terminal and npm tell of the same Ctrl-C, each for itself. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve())
    process.on('SIGINT', () => resolve())
  })
}
