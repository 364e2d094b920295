/** `gateway start`: one process, or a primary with workers; signals, reloads, and a graceful end. */
import cluster from 'node:cluster'
import { unwatchFile, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { configPath, type Flags } from './config/options.ts'
import { type Gateway, openGateway, StartError } from './gateway.ts'
import { createLog, type LogOutput } from './log.ts'
import { printKey } from './print-key.ts'
import { createClusterSharedState } from './state/cluster.ts'
import { joinMetrics, runPrimary, workersOf } from './workers.ts'

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
  const output = createLog(process.env.GATEWAY_LOG_LEVEL ?? 'info')
  const { log, flush } = output
  const gateway = await open(path, flags, output)
  if (gateway === null) {
    flush()
    return 1
  }
  log.info({ url: gateway.url, providers: gateway.runtime.registry.providers.size }, 'listening')
  const onChange = () => void gateway.reload()
  watchFile(path, { interval: watchMs }, onChange)
  process.on('SIGHUP', onChange)
  await untilSignal()
  log.info('shutting down')
  unwatchFile(path, onChange)
  await gateway.close()
  log.info('stopped')
  flush()
  return 0
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
    if (!(error instanceof StartError) && !isListenError(error)) throw error
    process.stderr.write(`${error.message}\n`)
    return null
  }
}

/** An address that is taken or not ours is the operator's to mend, not a crash. */
const isListenError = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && error.syscall === 'listen'

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}
