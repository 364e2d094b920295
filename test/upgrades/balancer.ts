/** Load on several replicas by way of a balancer like that of Kubernetes: it sends requests to the replicas that are ready. */
import { setTimeout as wait } from 'node:timers/promises'
import { chat } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const clients = 4
const probeEveryMs = 100

export interface Load {
  /** Resolves once so many more requests have been answered by every replica that is ready. */
  answers(count: number): Promise<void>
  stop(): Promise<{ answered: number; failures: string[] }>
}

interface Target {
  readonly url: string
}

export function balance(targets: readonly Target[], { key, config }: { key: string; config: string }): Load {
  const states = targets.map((target) => ({ target, isReady: true, answered: 0 }))
  const failures: string[] = []
  let sent = 0
  let isStopped = false

  const isReady = (url: string) =>
    fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
      async (response) => (await response.arrayBuffer()) && response.ok,
      () => false,
    )
  async function probe(state: (typeof states)[number]) {
    while (!isStopped) {
      state.isReady = await isReady(state.target.url)
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
      const ready = states.filter((state) => state.isReady)
      const state = ready[sent % ready.length]
      if (state === undefined) throw new Error('No replica is ready.')
      await ask(state.target.url, sent).then(
        () => {
          state.answered += 1
        },
        (error: unknown) => void failures.push(`request ${sent} to ${state.target.url}: ${error}`),
      )
      await wait(10)
    }
  }

  const running = [...states.map(probe), ...Array.from({ length: clients }, send)]
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
