/** Times of requests to the gateway, one after another on one connection, as a console asks. */
import { Agent, get } from 'node:http'
import { GATEWAY_KEY } from './gateway-config.ts'

/** Milliseconds to the last byte of each answer, in ascending order; rejects on another status than 200. */
export async function timesOf(
  port: number,
  count: number,
  pathOf: (index: number) => string,
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  try {
    for (let index = 0; index < count; index += 1) times.push(await timeOf(agent, port, pathOf(index)))
  } finally {
    agent.destroy()
  }
  return times.sort((one, other) => one - other)
}

function timeOf(agent: Agent, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const headers = { 'x-gateway-api-key': GATEWAY_KEY }
    get({ host: '127.0.0.1', port, path, agent, headers }, (answer) => {
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - startedAt)
        else reject(new Error(`${path} answered ${answer.statusCode}`))
      })
      answer.on('error', reject)
      answer.resume()
    }).on('error', reject)
  })
}
