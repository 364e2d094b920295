/** A Lua script, sent by its hash; in full only to a server that does not know it yet. */
import { createHash } from 'node:crypto'
import type { RedisClient } from './connection.ts'

/** Runs the script and gives its answer as texts and numbers. */
export type RunScript = (keys: string[], values: string[]) => Promise<(string | number)[]>

/** A script of one client. */
export function prepareScript(client: RedisClient, source: string): RunScript {
  const hash = createHash('sha1').update(source).digest('hex')
  return async (keys, values) => {
    const options = { keys, arguments: values }
    try {
      return listOf(await client.evalSha(hash, options))
    } catch (error) {
      // It was not run: the server was restarted, or never had it.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return listOf(await client.eval(source, options))
    }
  }
}

function listOf(answer: unknown): (string | number)[] {
  if (answer === null) return []
  if (!Array.isArray(answer)) throw new Error('A script answered something that is no list.')
  return answer
}
