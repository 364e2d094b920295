/** Load on several replicas by way of a balancer like that of Kubernetes: it sends requests to the replicas that are ready. */
import { setTimeout as wait } from 'node:timers/promises'
import { chat } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const clients = 4
const probeEveryMs = 100
/** So many failed probes in a row make a replica not ready, as in deploy/kubernetes/gateway.yaml. */
const failedProbesLimit = 2
const notProbed: readonly string[] = Array.from({ length: failedProbesLimit }, () => 'not yet probed')

export interface Load {
  /** Resolves once so many more requests have been answered by every replica that is ready. */
  answers(count: number): Promise<void>
  stop(): Promise<{ answered: number; failures: string[] }>
}

interface Target {
  readonly url: string
}

/** Resolves once every replica is ready and the load has begun: a process that listens may still be loading circuits. */
export async function balance(
  targets: readonly Target[],
  { key, config }: { key: string; config: string },
): Promise<Load> {
  const states = targets.map((target) => ({ target, failedProbes: notProbed, answered: 0 }))
  const isReady = ({ failedProbes }: (typeof states)[number]) => failedProbes.length < failedProbesLimit
  const failures: string[] = []
  let sent = 0
  let isStopped = false

  /** Null if it is ready, otherwise why not. */
  const reasonNotReady = (url: string) =>
    fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
      async (response) => {
        const text = await response.text()
        return response.ok ? null : text
      },
      (error: Error) => `${error.message}: ${error.cause}`,
    )
  async function probe(state: (typeof states)[number]) {
    while (!isStopped) {
      const reason = await reasonNotReady(state.target.url)
      state.failedProbes = reason === null ? [] : [...state.failedProbes, reason].slice(-failedProbesLimit)
      await wait(probeEveryMs)
    }
  }

  /** Every second request is streamed. */
  async function ask(url: string, number: number): Promise<void> {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': key, 'x-gateway-config': config, 'content-type': 'application/json' },
      body: JSON.stringify(chat(`number ${number}`, { stream: number % 2 === 0 })),
    })
    const text = await response.text()
    if (response.status !== 200 || (number % 2 === 0 && !text.includes('[DONE]')))
      throw new Error(`${response.status} ${text}`)
  }

  async function send(): Promise<void> {
    while (!isStopped) {
      sent += 1
      const ready = states.filter(isReady)
      const state = ready[sent % ready.length]
      if (state === undefined) {
        const reasons = states.map(({ target, failedProbes }) => `${target.url}: ${failedProbes.join(', ')}`)
        failures.push(`request ${sent}: no replica is ready. ${reasons.join('; ')}`)
      } else {
        await ask(state.target.url, sent).then(
          () => {
            state.answered += 1
          },
          (error: unknown) => void failures.push(`request ${sent} to ${state.target.url}: ${error}`),
        )
      }
      await wait(10)
    }
  }

  const probing = states.map(probe)
  await until('every replica is ready', () => states.every(isReady))
  const running = [...probing, ...Array.from({ length: clients }, send)]
  return {
    async answers(count) {
      const before = states.map(({ answered }) => answered)
      await until(`${count} more requests are answered`, () =>
        states.every(({ answered }, index) => answered - (before[index] ?? 0) >= count),
      )
    },
    async stop() {
      isStopped = true
      await Promise.all(running)
      return { answered: states.reduce((sum, { answered }) => sum + answered, 0), failures }
    },
  }
}
