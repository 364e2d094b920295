/**
 * `gateway health`: requests the health of the gateway on this machine, with the port and protocol of the config file
 * and the environment. Intended for health checks of containers.
 */

import { type Environment, formatOf, parseFileText, readFileText, serverDefaults } from '@gateway/config-file'
import { isObject } from '@gateway/contract'
import { locateConfig, resolveOptions } from '../boot/index.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { type Listener, probe } from './probe.ts'
import { exitCodes } from './terminal.ts'

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, { ...configOption, ready: { type: 'boolean' } })
    const { path } = locateConfig(values, terminal.environment, terminal.directory)
    const listener = await readListener(path, terminal.environment)
    const answer = await probe(listener, values.ready === true ? '/readyz' : '/healthz')
    if (answer === null) {
      terminal.err(`No gateway answers on ${listener.host}, port ${listener.port}.\n`)
      return exitCodes.failed
    }
    terminal.out(`${answer.text}\n`)
    return answer.status === 200 ? exitCodes.done : exitCodes.failed
  },
}

/** Reads only `server` of the file, without the packages that its validation needs. */
async function readListener(path: string, environment: Environment): Promise<Listener> {
  const text = await readFileText(path)
  const { value } =
    typeof text === 'string' ? parseFileText(text, environment, formatOf(path)) : { value: null }
  const server = isObject(value) && isObject(value.server) ? value.server : {}
  const { options } = resolveOptions({}, environment, null)
  const isSet = (name: string) => (environment[name] ?? '') !== ''
  return {
    host: isSet('GATEWAY_HOST') ? options.host : String(server.host ?? serverDefaults.host),
    port: isSet('GATEWAY_PORT') ? options.port : Number(server.port ?? serverDefaults.port),
    hasTls: isObject(server.tls),
  }
}
