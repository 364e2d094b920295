/** Calls a gateway's own listener on this machine, for its health. */
import { request } from 'node:http'
import { request as requestTls } from 'node:https'

export interface Listener {
  host: string
  port: number
  hasTls: boolean
}

const usualTimeoutMs = 3000

/** The address of a listener on all addresses, as reached from this machine. */
export const reachableHost = (host: string) =>
  host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host

/** The status and text of an answer; null without an answer. */
export function probe(
  { host, port, hasTls }: Listener,
  path: string,
  timeoutMs = usualTimeoutMs,
): Promise<{ status: number; text: string } | null> {
  const options = {
    host: reachableHost(host),
    port,
    path,
    timeout: timeoutMs,
    // The certificate is for the public name, so it is not verified. No data is sent that another program could use.
    rejectUnauthorized: false,
  }
  return new Promise((resolve) => {
    const call = (hasTls ? requestTls : request)(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => {
        text = (text + part).slice(0, maxChars)
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.on('error', () => resolve(null))
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(null))
    call.end()
  })
}

const maxChars = 10_000

/** Whether a gateway answers there: its health is a JSON object, and its metrics have the gateway's prefix. */
export async function isHealthy(
  listener: Listener,
  path: '/healthz' | '/metrics',
  timeoutMs: number,
): Promise<boolean> {
  const answer = await probe(listener, path, timeoutMs)
  return answer?.status === 200 && /"status": ?"ok"|gateway_/.test(answer.text)
}
