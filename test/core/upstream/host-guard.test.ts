/** The host guard's decisions, for spellings and for resolved addresses. Nothing is connected here. */
import type { LookupAddress } from 'node:dns'
import { expect } from 'chai'
import fc from 'fast-check'
import { parseTrustedHost } from '#domain/trusted-hosts'
import { createHostGuard, type HostGuard } from '#upstream/host-guard'
import { assertProperty } from '../../support/assert-property.ts'
import { spellings } from './host-spellings.js'
import { addressOf } from './local-server.js'

/** A resolver that returns the lists in turn, and repeats the last one. */
function resolver(...answers: string[][]) {
  const asked: string[] = []
  const resolve = async (hostname: string): Promise<LookupAddress[]> => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(hostname)
    return answer.map((address) => addressOf(address))
  }
  return { asked, resolve }
}

/** The destination of a connection to the URL: the address, or the code of the refusal. */
async function destination(guard: HostGuard, url: string): Promise<string> {
  if (guard.checkUrl(url) !== null) return 'host_not_allowed'
  return lookUp(guard, new URL(url).hostname, { all: true }).then(
    ([first]) => first?.address ?? 'none',
    (error) => error.code,
  )
}

/** Calls the guard in the same way as net.connect. */
function lookUp(guard: HostGuard, hostname: string, options: { all: boolean; family?: 4 | 6 }) {
  return new Promise<LookupAddress[]>((resolve, reject) => {
    guard.lookup(hostname, options, (error, address, family) => {
      if (error !== null) reject(error)
      else resolve(typeof address === 'string' ? [{ address, family: family ?? 0 }] : address)
    })
  })
}

const untrusting = createHostGuard({ trustedHosts: [], resolve: resolver(['93.184.215.14']).resolve })

describe('host guard: spellings', () => {
  it('has well over a hundred of them to test', () => {
    expect(new Set(spellings.map(([url]) => url)).size).to.equal(spellings.length)
    expect(spellings.length).to.be.above(200)
  })

  for (const [url, isAllowed] of spellings) {
    it(`${isAllowed ? 'allows' : 'refuses'} ${JSON.stringify(url)}`, async () => {
      const reason = untrusting.checkUrl(url)
      expect(reason === null, reason ?? 'allowed').to.equal(isAllowed)
      expect((await destination(untrusting, url)) === 'host_not_allowed').to.equal(!isAllowed)
    })
  }

  it('refuses every spelling of every address that is not public', () => {
    assertProperty(
      fc.property(innerAddress, fc.infiniteStream(fc.nat(9)), (octets, choices) => {
        const host = spell(octets, choices)
        expect(untrusting.checkUrl(`http://${host}/`), host).not.to.equal(null)
      }),
      { numRuns: 2000 },
    )
  })

  it('allows every spelling of a public address', () => {
    assertProperty(
      fc.property(fc.infiniteStream(fc.nat(9)), (choices) => {
        const host = spell([93, 184, 215, 14], choices)
        expect(untrusting.checkUrl(`http://${host}/`), host).to.equal(null)
      }),
    )
  })

  it('treats an IPv4 address inside an IPv6 address like the IPv4 address', () => {
    assertProperty(
      fc.property(fc.ipV4(), (ipv4) => {
        const isAllowed = untrusting.allows(ipv4)
        expect(untrusting.allows(`::ffff:${ipv4}`), 'mapped').to.equal(isAllowed)
        expect(untrusting.allows(`64:ff9b::${ipv4}`), 'NAT64').to.equal(isAllowed)
        expect(untrusting.allows(`2600:1f14::5efe:${ipv4}`), 'ISATAP').to.equal(isAllowed)
        for (const prefix of ['::', '::ffff:0:', '64:ff9b:1::']) {
          expect(untrusting.allows(prefix + ipv4), prefix).to.equal(false)
        }
      }),
    )
  })

  it('classifies every form of an IPv6 address', () => {
    assertProperty(
      fc.property(fc.ipV6(), (ipv6) => {
        const isPublic = untrusting.allows(ipv6)
        expect(untrusting.checkUrl(`http://[${ipv6}]/`) === null).to.equal(isPublic)
        const all = createHostGuard({ trustedHosts: ['::/0', '0.0.0.0/0'] })
        expect(all.allows(ipv6)).to.equal(true)
      }),
    )
  })

  it('does not treat an address in an unusual spelling as an address', () => {
    for (const text of [
      '',
      '8.8.8',
      '010.8.8.8',
      '0x8.8.8.8',
      '134744072',
      '8.8.8.8 ',
      '[2606:4700::1]',
      'x',
    ]) {
      expect(untrusting.allows(text), text).to.equal(false)
    }
  })

  it('ignores the zone of an address', () => {
    expect(untrusting.allows('fe80::1%eth0.1')).to.equal(false)
    expect(createHostGuard({ trustedHosts: ['fe80::/10'] }).allows('fe80::1%eth0.1')).to.equal(true)
  })
})

describe('host guard: names', () => {
  const resolutions: [title: string, addresses: string[], expected: string][] = [
    ['to a public address', ['93.184.215.14'], '93.184.215.14'],
    ['to several public addresses', ['2606:4700::1', '93.184.215.14'], '2606:4700::1'],
    ['to a private address', ['10.0.0.7'], 'host_not_allowed'],
    ['to loopback', ['127.0.0.1'], 'host_not_allowed'],
    ['to IPv6 loopback', ['::1'], 'host_not_allowed'],
    ['to a metadata address', ['169.254.169.254'], 'host_not_allowed'],
    ['to a mapped private address', ['::ffff:10.0.0.7'], 'host_not_allowed'],
    ['to a public address first and a private one second', ['93.184.215.14', '10.0.0.7'], 'host_not_allowed'],
    ['to a private address first and a public one second', ['10.0.0.7', '93.184.215.14'], 'host_not_allowed'],
    ['to public IPv4 and local IPv6', ['93.184.215.14', 'fd00::1'], 'host_not_allowed'],
    ['to something that is not an address', ['not-an-address'], 'host_not_allowed'],
    ['to nothing', [], 'ENOTFOUND'],
  ]
  for (const [title, addresses, expected] of resolutions) {
    it(`a name that resolves ${title} results in ${expected}`, async () => {
      const guard = createHostGuard({ trustedHosts: [], resolve: resolver(addresses).resolve })
      expect(await destination(guard, 'https://api.example.com/v1')).to.equal(expected)
    })
  }

  it('a name that changes its address between two lookups connects to the checked one, and is checked again', async () => {
    const { asked, resolve } = resolver(['93.184.215.14'], ['127.0.0.1'], ['93.184.215.15'])
    const guard = createHostGuard({ trustedHosts: [], resolve })
    expect(await destination(guard, 'http://rebinding.example.com/')).to.equal('93.184.215.14')
    expect(asked).to.deep.equal(['rebinding.example.com'])
    expect(await destination(guard, 'http://rebinding.example.com/')).to.equal('host_not_allowed')
    expect(await destination(guard, 'http://rebinding.example.com/')).to.equal('93.184.215.15')
  })

  it('a refusal contains neither the name nor its address', async () => {
    const guard = createHostGuard({ trustedHosts: [], resolve: resolver(['10.9.8.7']).resolve })
    const error = await guard.resolve('secret.internal.example').catch((caught) => caught)
    expect(error).to.include({ code: 'host_not_allowed', status: 400 })
    expect(error.message).not.to.match(/10\.9|secret/)
  })

  it('returns the failure of the resolver', async () => {
    const failure = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    const guard = createHostGuard({ trustedHosts: [], resolve: () => Promise.reject(failure) })
    expect(await destination(guard, 'http://gone.example.com/')).to.equal('ENOTFOUND')
  })

  it('never resolves localhost or a metadata name', async () => {
    const { asked, resolve } = resolver(['93.184.215.14'])
    const guard = createHostGuard({ trustedHosts: ['127.0.0.1', '169.254.0.0/16'], resolve })
    expect(await lookUp(guard, 'LocalHost.', { all: true })).to.deep.equal([
      { address: '127.0.0.1', family: 4 },
    ])
    const error = await lookUp(guard, 'metadata.google.internal', { all: true }).catch((caught) => caught)
    expect(error.code).to.equal('host_not_allowed')
    expect(asked).to.deep.equal([])
  })

  it('returns addresses as net.connect expects: one or all, of one family or both', async () => {
    const guard = createHostGuard({
      trustedHosts: [],
      resolve: resolver(['2606:4700::1', '93.184.215.14']).resolve,
    })
    const ipv4 = { address: '93.184.215.14', family: 4 }
    const ipv6 = { address: '2606:4700::1', family: 6 }
    expect(await lookUp(guard, 'x.example', { all: true })).to.deep.equal([ipv6, ipv4])
    expect(await lookUp(guard, 'x.example', { all: false })).to.deep.equal([ipv6])
    expect(await lookUp(guard, 'x.example', { all: false, family: 4 })).to.deep.equal([ipv4])
    expect(await lookUp(guard, 'x.example', { all: true, family: 6 })).to.deep.equal([ipv6])
  })
})

describe('host guard: trusted hosts', () => {
  const rows: [trusted: string[], host: string, isAllowed: boolean][] = [
    [['127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '127.1', true],
    [['127.0.0.1'], '0x7f000001', true],
    [['127.0.0.1'], '127.0.0.2', false],
    [['127.0.0.1'], '[::ffff:127.0.0.1]', true],
    [['127.0.0.1'], '[::1]', false],
    [['127.0.0.1'], 'localhost', true],
    [['::1'], 'localhost', true],
    [['127.0.0.2'], 'localhost', false],
    [['::1'], '[0:0::1]', true],
    [['10.1.0.0/16'], '10.1.255.255', true],
    [['10.1.0.0/16'], '10.2.0.0', false],
    [['10.1.2.3/16'], '10.1.0.1', true],
    [['10.1.0.0/16'], '[::ffff:10.1.2.3]', true],
    [['10.1.0.0/16'], '[64:ff9b::10.1.2.3]', true],
    [['10.1.0.0/16'], '[2002:a01:203::1]', false],
    [['::ffff:10.1.0.0/112'], '10.1.2.3', true],
    [['::ffff:10.1.0.0/112'], '10.2.2.3', false],
    [['fd00::/8'], '[fd12::1]', true],
    [['fd00::/8'], '[fc00::1]', false],
    [['169.254.169.254'], '169.254.169.254', true],
    [['169.254.169.254'], '169.254.169.253', false],
    [['0.0.0.0/0'], '10.0.0.1', true],
    [['0.0.0.0/0'], '[fd00::1]', false],
    [['::/0'], '[fd00::1]', true],
    [['::/0'], '10.0.0.1', false],
    [['168.63.129.16/32'], '168.63.129.16', true],
    [['192.168.0.0/24', '10.0.0.5'], '10.0.0.5', true],
  ]
  for (const [trusted, host, isAllowed] of rows) {
    it(`${trusted.join(' ')} ${isAllowed ? 'allows' : 'does not allow'} ${host}`, () => {
      const guard = createHostGuard({ trustedHosts: trusted })
      expect(guard.checkUrl(`http://${host}/`) === null).to.equal(isAllowed)
    })
  }

  it('a name is allowed when all its addresses are trusted or public', async () => {
    const answers = [['10.1.2.3'], ['10.1.2.3', '93.184.215.14'], ['10.1.2.3', '10.2.0.1']]
    const guard = createHostGuard({ trustedHosts: ['10.1.0.0/16'], resolve: resolver(...answers).resolve })
    expect(await destination(guard, 'http://vllm.internal:8000')).to.equal('10.1.2.3')
    expect(await destination(guard, 'http://vllm.internal:8000')).to.equal('10.1.2.3')
    expect(await destination(guard, 'http://vllm.internal:8000')).to.equal('host_not_allowed')
  })

  const malformed = [
    ...['', 'localhost', 'api.example.com', '127.1', '10.0.0', '010.0.0.1', '0x7f.0.0.1', '2130706433'],
    ...[' 10.0.0.1', '[::1]', '10.0.0.0/', '/8', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/8/8'],
    ...['::1/129', 'fe80::1%eth0', '10.0.0.0/255.0.0.0', '*'],
  ]
  for (const entry of malformed) {
    it(`the malformed entry ${JSON.stringify(entry)} is reported`, () => {
      expect(() => parseTrustedHost(entry)).to.throw(JSON.stringify(entry))
      expect(() => createHostGuard({ trustedHosts: ['10.0.0.1', entry] })).to.throw(JSON.stringify(entry))
    })
  }
})

const octet = fc.nat(255)

/** Addresses of the ranges that matter most. */
const innerAddress = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
)

/** One of the ways in which a URL may spell an IPv4 address; `choices` are numbers from 0 to 9. */
function spell(octets: readonly number[], choices: Iterator<number>): string {
  const choose = (count: number): number => (choices.next().value ?? 0) % count
  const ownParts = choose(4)
  const rest = octets.slice(ownParts).reduce((sum, part) => sum * 256 + part, 0)
  const parts = [...octets.slice(0, ownParts), rest].map((part) => {
    const zeros = '0'.repeat(choose(3))
    const hex = part.toString(16)
    return [String(part), `0${zeros}${part.toString(8)}`, `0x${zeros}${hex}`, `0X${hex.toUpperCase()}`][
      choose(4)
    ]
  })
  const wide = choose(4) === 0
  const written = wide ? parts.map((part) => part?.replace(/\d/g, fullWidth)) : parts
  return written.join(['.', '.', '。', '\uff0e', '%2e'][choose(5)]) + (choose(4) === 0 ? '.' : '')
}

const fullWidth = (digit: string): string => String.fromCodePoint(0xff10 + Number(digit))
