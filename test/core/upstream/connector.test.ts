/** The connectors alone: every connection through them is guarded, even without earlier checks. */
import http from 'node:http'
import https from 'node:https'
import { expect } from 'chai'
import { createAgents, createConnector } from '#upstream/connector'
import { createHostGuard, type HostGuard } from '#upstream/host-guard'
import { createLocalServers, type LocalServer } from './local-server.js'

/** Names resolve to 127.0.0.1. */
const guardOf = (trustedHosts: string[]): HostGuard =>
  createHostGuard({ trustedHosts, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })

type Connect = (guard: HostGuard, hostname: string, port: number) => Promise<string>

const ways: [title: string, connect: Connect][] = [
  [
    'the connector of undici',
    (guard, hostname, port) =>
      new Promise((resolve) => {
        createConnector(guard, 1000)({ hostname, protocol: 'http:', port: String(port) }, (error, socket) => {
          socket?.destroy()
          resolve(error === null ? 'connected' : outcomeOf(error))
        })
      }),
  ],
  [
    'the agent of node:http',
    (guard, hostname, port) => outcome(http.get({ agent: createAgents(guard).http, hostname, port })),
  ],
  [
    'the agent of node:https',
    (guard, hostname, port) => outcome(https.get({ agent: createAgents(guard).https, hostname, port })),
  ],
]

/** The server has no TLS: an error of its connection shows that it was reached. */
function outcome(request: http.ClientRequest): Promise<string> {
  return new Promise((resolve) => {
    request.on('response', (response) => {
      response.destroy()
      resolve('connected')
    })
    request.on('error', (error) => resolve(outcomeOf(error)))
  })
}

const outcomeOf = (error: Error): string =>
  'code' in error && error.code === 'host_not_allowed' ? 'host_not_allowed' : 'connected'

describe('guarded connections', () => {
  const servers = createLocalServers()
  let server: LocalServer

  beforeEach(async () => {
    server = await servers.http((_request, response) => response.end('ok'))
  })

  afterEach(() => servers.closeAll())

  for (const [title, connect] of ways) {
    it(`of ${title} refuse addresses and names that are not trusted`, async () => {
      for (const hostname of ['127.0.0.1', '::ffff:127.0.0.1', 'localhost', '127.1', 'api.example.com', '']) {
        expect(await connect(guardOf([]), hostname, server.port), hostname).to.equal('host_not_allowed')
      }
      expect(server.connections()).to.equal(0)
    })

    it(`of ${title} reach trusted addresses and names`, async () => {
      const hostnames = ['127.0.0.1', 'localhost', 'api.example.com']
      for (const hostname of hostnames) {
        expect(await connect(guardOf(['127.0.0.1']), hostname, server.port), hostname).to.equal('connected')
      }
      expect(server.connections()).to.equal(hostnames.length)
    })
  }

  it('of the agents refuse Unix sockets', async () => {
    const request = http.get({
      agent: createAgents(guardOf(['127.0.0.1'])).http,
      socketPath: '/nowhere.sock',
    })
    expect(await outcome(request)).to.equal('host_not_allowed')
  })
})
