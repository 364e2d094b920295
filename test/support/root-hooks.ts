/**
 * Mocha runs these before the tests of any file (`.mocharc.cjs`). Only names of this machine are resolved: no test can
 * reach another machine, even with a random config. The HTTP client creates one timer when it is first used and keeps
 * it: if a test had stopped the clock at that time, the client would never time out again.
 */
import crypto, { type ScryptOptions } from 'node:crypto'
import { promises as dns, type LookupOptions } from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, isIP } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { config, util } from 'chai'
import { Canceller } from '#flow/cancellation'
import { createUpstreamAgent } from '#upstream/agent'
import { createHostGuard } from '#upstream/host-guard'
import { closeShared } from './at-end.ts'
import { recordTime } from './file-times.ts'
import { startThreadsCheaply } from './threads.ts'

let called: Promise<void> | undefined

async function callOnce(): Promise<void> {
  const server = createServer((_request, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = createUpstreamAgent({ guard: createHostGuard({ trustedHosts: ['127.0.0.1'] }) })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { body } = await agent.send({ method: 'GET', url, headers: {}, body: null }, new Canceller())
  body.destroy()
  await agent.close()
  server.closeAllConnections()
  server.close()
}

const isOfThisMachine = (name: string): boolean => name === 'localhost' || isIP(name) !== 0

function refuseOtherNames(): void {
  const { lookup } = dns
  Object.assign(dns, {
    lookup: (name: string, options: LookupOptions) =>
      isOfThisMachine(name) ? lookup(name, options) : Promise.reject(notFound(name)),
  })
}

const notFound = (name: string): Error =>
  Object.assign(new Error(`No test looks up ${name}.`), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })

/** The cost of a password's hash is what protects it, and half of the processor time of tests with people. */
function hashCheaply(): void {
  const { scrypt } = crypto
  const derive = (
    password: string,
    salt: Buffer,
    length: number,
    options: ScryptOptions,
    done: (error: Error | null, key: Buffer) => void,
  ) => scrypt(password, salt, length, { ...options, N: 1024 }, done)
  Object.assign(crypto, { scrypt: derive })
  syncBuiltinESMExports()
}

/** Node's comparison takes a fifth of the time of chai's, which finds the same values equal, and some more. */
function compareQuickly(): void {
  config.deepEqual = (actual, expected) => isDeepStrictEqual(actual, expected) || util.eql(actual, expected)
}

/** Saves a seventh of the processor time of unit tests, in which most functions run too briefly to be worth optimizing. */
function optimizeLate(): void {
  // Later versions of V8 do not have this option.
  if (Number.parseInt(process.versions.v8, 10) < 13) setFlagsFromString('--interrupt-budget=600000')
}

optimizeLate()
refuseOtherNames()
hashCheaply()
compareQuickly()
startThreadsCheaply()

export const mochaGlobalTeardown = closeShared

export const mochaHooks = {
  beforeAll: () => {
    called ??= callOnce()
    return called
  },
  afterAll(this: Mocha.Context) {
    recordTime(this.test?.parent)
  },
}
