/** `gateway start`: one process, or a primary with workers; signals, reloads, and a graceful end. */
import cluster from 'node:cluster'
import { unwatchFile, watchFile } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { configPath, type Flags } from './config/options.ts'
import { type Gateway, openGateway, StartError } from './gateway.ts'
import { createLog, type LogOutput } from './log.ts'
import { printKey } from './print-key.ts'
import { createClusterSharedState } from './state/cluster.ts'
import { joinMetrics } from './worker-metrics.ts'
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
  // With one core to itself the helpers of V8's collector only take turns with it, at a third more.
  if (cluster.isWorker || availableParallelism() === 1) setFlagsFromString('--no-parallel-scavenge')
  const output = createLog(process.env.GATEWAY_LOG_LEVEL ?? 'info')
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
    const message = error instanceof StartError ? error.message : describeListenError(error)
    if (message === null) throw error
    process.stderr.write(`${message}\n`)
    return null
  }
}

/** An address that is taken or not ours is the operator's to mend, not a crash. Null for any other error. */
function describeListenError(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  // A worker's port is bound by its primary.
  if (error.syscall !== 'listen' && error.syscall !== 'bind') return null
  const { address, port } = error as { address?: string; port?: number }
  return `The gateway cannot listen on ${address}, port ${port}: ${reasons[String(error.code)] ?? error.code}.`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'this user may not use the port',
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}
