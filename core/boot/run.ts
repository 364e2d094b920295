/** `gateway start`: one process or a primary with workers; signals, reloads, graceful shutdown. */
import cluster from 'node:cluster'
import { unwatchFile, watchFile } from 'node:fs'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import { createClusterCounters, createClusterSharedState } from '@gateway/store'
import { createLog, joinMetrics, type LogOutput } from '../observability/index.ts'
import { useSingleThreadScavenges } from '../server/index.ts'
import { printKey } from './admin-key.ts'
import { banner } from './banner.ts'
import { builtInNotice, type ConfigLocation, locateConfig } from './locate-config.ts'
import { type Gateway, openGateway } from './open-gateway.ts'
import { type Flags, resolveOptions } from './options.ts'
import type { ProgressOutput } from './progress.ts'
import { describeStartError } from './start-error.ts'
import { signalsOf, tolerateClosedOutput, untilSignal } from './stop-signals.ts'
import { readyMessage, reportStartFault, runPrimary, untilPrimaryStops, workersOf } from './workers.ts'

/** How often the config file is checked for changes, in milliseconds. */
const watchMs = 500

/** Runs until a signal ends it; returns the exit code. */
export async function runStart(flags: Flags): Promise<number> {
  const config = locateConfig(flags, process.env, process.cwd())
  const workers = cluster.isPrimary ? workersOf(flags, process.env) : 1
  if (workers > 1) return runPrimary(config.path, flags, workers)
  return runProcess(config, flags)
}

async function runProcess({ path, written, isBuiltIn }: ConfigLocation, flags: Flags): Promise<number> {
  if (cluster.isWorker || availableParallelism() === 1) useSingleThreadScavenges()
  const { logLevel, logFormat } = resolveOptions(flags, process.env, null).options
  const format = logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')
  const output = await createLog({ level: logLevel ?? 'info', format })
  const { log } = output
  tolerateClosedOutput()
  let newKey: string | null = null
  const showKey = (key: string) => {
    newKey = key
    printKey(key)
  }
  const gateway = await open(path, flags, { output, showKey })
  if (gateway === null) {
    await output.close()
    leaveCluster()
    return 1
  }
  const onChange = () => void gateway.reload()
  watchFile(path, { interval: watchMs }, onChange)
  // Before the line that says it is ready, after which a signal may come at once.
  const { reload } = signalsOf(process.platform)
  if (reload !== null) process.on(reload, onChange)
  const stopped = Promise.race([untilSignal(output.discard), untilPrimaryStops()])
  const { url, adminUrl } = gateway
  log.info(
    {
      url,
      ...(adminUrl === null ? {} : { admin_url: adminUrl }),
      providers: gateway.runtime.registry.providers.size,
    },
    'listening',
  )
  if (isBuiltIn) log.warn(builtInNotice(written))
  if (isGuessable(gateway.options.adminKey)) log.warn(guessableNotice)
  output.flush()
  if (format === 'pretty' && cluster.isPrimary)
    process.stderr.write(banner(gateway, isBuiltIn ? null : path, newKey))
  cluster.worker?.send(readyMessage)
  const signal = await stopped
  log.info('shutting down')
  unwatchFile(path, onChange)
  // After Ctrl-C there is no need to wait for a load balancer to notice.
  await gateway.close({ skipsDelay: signal === 'SIGINT' })
  log.info('stopped')
  await output.close()
  leaveCluster()
  return 0
}

const guessableLength = 16
const isGuessable = (key: string | null) => key !== null && key.length < guessableLength
const guessableNotice =
  `GATEWAY_ADMIN_KEY has fewer than ${guessableLength} characters, so it can be guessed: set a random key, such as the output of ` +
  '"openssl rand -hex 32".'

/** The channel to the primary would keep a worker alive. */
function leaveCluster(): void {
  if (cluster.isWorker && process.connected) process.disconnect()
}

const onScreen: ProgressOutput = {
  err: (text) => process.stderr.write(text),
  progressStream: process.stderr,
}

interface OpenOptions {
  output: LogOutput
  showKey: (key: string) => void
}

async function open(
  path: string,
  flags: Flags,
  { output: { log, logRequest }, showKey }: OpenOptions,
): Promise<Gateway | null> {
  try {
    return await openGateway({
      configPath: path,
      flags,
      environment: process.env,
      log,
      logRequest,
      printKey: showKey,
      lockStore: cluster.isPrimary,
      preparesStore: true,
      ...(process.stderr.isTTY === true ? { progressOutput: onScreen } : {}),
      ...(cluster.isWorker
        ? { shared: createClusterSharedState(), counters: createClusterCounters(), joinMetrics }
        : {}),
    })
  } catch (error) {
    const message = describeStartError(error)
    if (message === null) throw error
    if (cluster.isWorker) await reportStartFault(message)
    else process.stderr.write(`${message}\n`)
    return null
  }
}
