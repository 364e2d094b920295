/** A Lua script, sent by its hash, and in full only to a server that does not have it yet. */
import { createHash } from 'node:crypto'
import type { RedisClient } from './connection.ts'

/** Runs the script and returns its answer as strings and numbers. */
export type RunScript = (keys: string[], values: string[]) => Promise<(string | number)[]>

/** A script of one client. */
export function prepareScript(client: RedisClient, source: string): RunScript {
  const hash = createHash('sha1').update(source).digest('hex')
  return async (keys, values) => {
    const options = { keys, arguments: values }
    try {
      return listOf(await client.evalSha(hash, options))
    } catch (error) {
      // The script was not run: the server was restarted, or never had it.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return listOf(await client.eval(source, options))
    }
  }
}

function listOf(answer: unknown): (string | number)[] {
  if (answer === null) return []
  if (!Array.isArray(answer)) throw new Error('A Redis script returned a value that is not a list.')
  return answer
}
