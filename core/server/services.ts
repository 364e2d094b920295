/**
 * Service packages of a running gateway: each is opened once, its routes are served, and its jobs run in one process at
 * a time.
 */
import {
  type Capabilities,
  type Capability,
  faultReason,
  GatewayError,
  type Job,
  type Route,
  type Service,
  type ServicePlugin,
  type SharedState,
} from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import { type ServicePorts, sleep } from '@gateway/flow'

/** Handlers that replace the pipelines of endpoints. */
export type EndpointHandlers = NonNullable<Service['endpoints']>

export interface Services extends ServicePorts {
  routes: readonly Route[]
  endpoints: EndpointHandlers
  refusedToken: NonNullable<Service['refusedToken']>
  configRead: NonNullable<Service['configRead']>
  observer: NonNullable<Service['observer']>
  /** Notifies services that the gateway is stopping. */
  stop(): void
  close(): Promise<void>
}

/**
 * Opens every service with the capabilities that it declares, and no others. A duplicate route or an unknown capability
 * is an error with a message for the operator.
 */
export async function openServices(
  plugins: readonly ServicePlugin[],
  capabilities: Capabilities,
): Promise<Omit<Services, 'stop'> & { jobs: Job[] }> {
  const services: Service[] = await Promise.all(
    plugins.map((plugin) => plugin.open(contextOf(plugin, capabilities))),
  )
  const routes = services.flatMap((service) => service.routes)
  const seen = new Set<string>()
  for (const { method, path, aliases = [] } of routes) {
    for (const each of [path, ...aliases]) {
      const route = `${method} ${each}`
      if (seen.has(route))
        throw new GatewayError('invalid_config', `Two services declare the route ${route}.`)
      seen.add(route)
    }
  }
  return {
    routes,
    observer() {
      for (const service of services) {
        const observer = service.observer?.() ?? null
        if (observer !== null) return observer
      }
      return null
    },
    endpoints: Object.assign({}, ...services.map(({ endpoints = {} }) => endpoints)) as EndpointHandlers,
    jobs: services.flatMap(({ jobs = [] }) => jobs),
    async refusedToken(...told) {
      await Promise.all(services.map((service) => service.refusedToken?.(...told)))
    },
    async configRead(isApplied) {
      await Promise.all(services.map((service) => service.configRead?.(isApplied)))
    },
    async limitReached(alert) {
      await Promise.all(services.map((service) => service.limitReached?.(alert)))
    },
    async shadowed(request) {
      await Promise.all(services.map((service) => service.shadowed?.(request)))
    },
    async renderPrompt(request) {
      const renderer = services.find((service) => service.renderPrompt !== undefined)
      if (renderer?.renderPrompt !== undefined) return renderer.renderPrompt(request)
      const message = 'No installed package renders prompts: see plugins.disabled in the config file.'
      throw new GatewayError('unknown_prompt', message)
    },
    async emit(event) {
      await Promise.all(services.map((service) => service.emitted?.(event)))
    },
    async close() {
      await Promise.all(services.map((service) => service.close?.()))
    },
  }
}

/** The context of a service, without capabilities that it has not declared. */
function contextOf({ name, needs }: ServicePlugin, capabilities: Capabilities): Capabilities {
  const known = Object.keys(capabilities)
  const unknown = needs.find((need) => !known.includes(need))
  if (unknown !== undefined) {
    const message = unknownName({ what: 'capability', written: unknown, known })
    throw new GatewayError(
      'invalid_config',
      `The service "${name}" needs a capability that this gateway lacks. ${message}`,
    )
  }
  const given = needs.map((need): [Capability, unknown] => [need, capabilities[need]])
  // The type promises every capability, but the service's own declaration narrows it to the named ones.
  return Object.fromEntries(given) as Partial<Capabilities> as Capabilities
}

export interface RunJobsOptions {
  jobs: readonly Job[]
  shared: SharedState
  now(): number
  report(job: string, error: unknown): void
}

/** The minimum time between two checks of a job. It keeps a lease from being taken twice in one interval. */
const slackMs = 50
/** After this time, the process that runs a job counts as dead. */
const longestRunMs = 300_000
/** During an outage, jobs fail every second for the same reason. */
const reportAgainMs = 60_000
/** How long a stopping gateway waits for running jobs. */
const stopMs = 5000

export interface RunningJobs {
  /** Starts no further jobs. Resolves when the running ones have ended and released their leases. */
  stop(): Promise<void>
}

/**
 * Runs each job at its interval, on the process that takes its lease first. A job that fails runs again at the next
 * interval. A failure is reported again only after a minute, unless its reason changes or a run in between succeeds.
 */
export function runJobs({ jobs, shared, now, report }: RunJobsOptions): RunningJobs {
  const running = new Map<Job, Promise<void>>()
  const reported = new Map<Job, { reason: string; at: number }>()

  function reportFailure(job: Job, error: unknown): void {
    const reason = faultReason(error)
    const last = reported.get(job)
    if (last?.reason === reason && now() - last.at < reportAgainMs) return
    reported.set(job, { reason, at: now() })
    report(job.name, error)
  }

  /** No other process starts the next run while one takes longer than its interval. */
  async function runAlone(job: Job): Promise<void> {
    const lease = `job-running:${job.name}`
    if (!(await shared.acquire(lease, job.longestRunMs ?? longestRunMs))) return
    try {
      await job.run(now())
      reported.delete(job)
    } finally {
      await shared.delete(lease)
    }
  }

  async function runOnce(job: Job): Promise<void> {
    try {
      if (await shared.acquire(`job:${job.name}`, Math.max(1, job.intervalMs - slackMs))) await runAlone(job)
    } catch (error) {
      reportFailure(job, error)
    } finally {
      running.delete(job)
    }
  }

  const timers = jobs.map((job) => {
    const begin = () => {
      if (!running.has(job)) running.set(job, runOnce(job))
    }
    const timer = setInterval(begin, job.intervalMs)
    timer.unref()
    return timer
  })
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      const over = new AbortController()
      await Promise.race([Promise.all(running.values()), sleep(stopMs, over.signal)])
      over.abort()
    },
  }
}
