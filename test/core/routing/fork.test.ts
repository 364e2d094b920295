import { expect } from 'chai'
import { Canceller } from '#flow/cancellation'
import type { ConfigNode } from '#flow/config-node'
import { Exchange } from '#flow/exchange'
import type { Workspace } from '#flow/settings'
import type { Stores } from '#flow/stores'
import type { Transport } from '#flow/transport'

describe('the fork of an exchange', () => {
  it('copies every member of its exchange except the node and the members that only a target sets', () => {
    const workspace = { headerPrefixes: ['x-gateway-'] } as Partial<Workspace> as Workspace
    const transport = { headers: {} } as unknown as Transport
    const exchange = new Exchange({
      workspace,
      stores: {} as Stores,
      transport,
      leaving: new Canceller(),
      traceId: 'trace',
    })
    const names = Object.keys(exchange) as (keyof Exchange)[]
    for (const name of names) {
      if (!['transport', 'leaving'].includes(name)) Object.assign(exchange, { [name]: { name } })
    }
    const node = { path: 'config' } as unknown as ConfigNode
    const fork = exchange.fork(node)
    expect(Object.keys(fork)).to.deep.equal(names)
    expect(fork).to.include({ node, target: null, sent: null, answer: null })
    for (const name of names) {
      if (!['node', 'target', 'sent', 'answer'].includes(name))
        expect(fork[name], name).to.equal(exchange[name])
    }
  })
})
