/** Waits until a server answers on its port. */
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, hasEnded } from './children.ts'

const READY_LIMIT_MS = 60_000
const POLL_MS = 5
const LOG_TAIL_CHARACTERS = 1_000

/** Waits until the child answers 200 at the path; returns the milliseconds since its start. */
export async function untilReady(child: Child, port: number, path: string): Promise<number> {
  while (performance.now() - child.startedAt < READY_LIMIT_MS) {
    if (hasEnded(child)) throw new Error(`${child.name} ended at its start: ${logTail(child)}`)
    if ((await statusOf(port, path)) === 200) return performance.now() - child.startedAt
    await sleep(POLL_MS)
  }
  throw new Error(`${child.name} did not become ready in ${READY_LIMIT_MS} ms: ${logTail(child)}`)
}

function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false, timeout: 2_000 }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(0))
  })
}

function logTail(child: Child): string {
  return readFileSync(child.logFile, 'utf8').slice(-LOG_TAIL_CHARACTERS).trim()
}
