import { expect } from 'chai'
import { completeFile } from '#config-file/complete'
import { Canceller } from '#flow/cancellation'
import type { ConfigNode } from '#flow/config-node'
import { changeInput, createExchange, type Exchange } from '#flow/exchange'
import type { Workspace } from '#flow/settings'
import type { Stores } from '#flow/stores'
import type { Transport } from '#flow/transport'

const node = { path: 'config' } as unknown as ConfigNode

const open = (): Exchange =>
  createExchange({
    workspace: { file: completeFile({}) } as Partial<Workspace> as Workspace,
    stores: {} as Stores,
    transport: { headers: {}, prompt: null } as unknown as Transport,
    leaving: new Canceller(),
    traceId: 'trace',
  })

describe('the fork of an exchange', () => {
  it('has every member of its exchange by reference except the node and the members that only a target sets', () => {
    const exchange = open()
    const names = Object.keys(exchange) as (keyof Exchange)[]
    for (const name of names) {
      if (!['transport', 'leaving'].includes(name)) Object.assign(exchange, { [name]: { name } })
    }
    const fork = exchange.fork(node)
    expect(Object.keys(fork)).to.deep.equal(names)
    expect(fork).to.include({ node, target: null, answer: null })
    for (const name of names) {
      if (!['node', 'target', 'answer'].includes(name)) expect(fork[name], name).to.equal(exchange[name])
    }
  })

  it('has at most 15 members', () => {
    expect(Object.keys(open()).length).to.be.at.most(15)
  })

  it('changes its own input only, and every member that it does not name stays', () => {
    const exchange = open()
    const asked = { model: 'asked' }
    changeInput(exchange, { body: asked, source: { body: asked, text: '{"model":"asked"}' } })
    const before = { ...exchange.input }
    const [first, second] = [exchange.fork(node), exchange.fork(node)]
    for (const name of Object.keys(before)) changeInput(first, { [name]: { name } })
    expect(first.input).to.deep.equal(Object.fromEntries(Object.keys(before).map((name) => [name, { name }])))
    changeInput(first, { source: null })
    expect(first.input.source).to.equal(null)
    for (const other of [exchange, second]) expect(other.input).to.deep.equal(before)
    expect(exchange.fork(node).input).to.deep.equal(before)
  })

  it('shares the ids, the record and the ledger of its request', () => {
    const exchange = open()
    const fork = exchange.fork(node)
    fork.request.traceId = 'sent by the client'
    fork.request.ledger.hedges += 1
    expect(exchange.request).to.include({ traceId: 'sent by the client' })
    expect(exchange.request.ledger.hedges).to.equal(1)
  })
})
