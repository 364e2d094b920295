/** The settings of the config file: their defaults, and those whose changes need a restart. */
import { expect } from 'chai'
import { completeFile, settingsAtStart } from '#config-file/complete'

describe('the settings of a config file', () => {
  it('have their defaults, with sizes in bytes, and null without one', () => {
    const { server, cache, logs, files, batches, redis, store } = completeFile({})
    expect(server).to.deep.include({ host: '127.0.0.1', port: 8787, body_limit: 26_214_400, tls: null })
    expect(server).to.deep.include({ header_prefixes: ['x-gateway-'], drain_delay_ms: null, cors: null })
    expect(cache).to.deep.include({ max_bytes: 268_435_456, semantic: null })
    expect(logs).to.include({ bodies: 'full', retention_days: 30, metrics_retention_days: 365, level: null })
    expect(files).to.include({ max_bytes: 536_870_912, store: null, s3: null })
    expect([batches.concurrency, redis.deadline_ms, store]).to.deep.equal([25, 50, null])
  })

  it("keep the file's values, and complete sections within sections", () => {
    const { server, cache } = completeFile({
      server: { body_limit: '1kb', header_prefixes: ['X-Acme-'], cors: { origins: ['*'] } },
      cache: { semantic: { provider: 'main', model: 'small', threshold: 0.8 } },
    })
    expect(server).to.deep.include({
      body_limit: 1024,
      header_prefixes: ['x-gateway-', 'x-acme-'],
      cors: { origins: ['*'], max_age_seconds: 600 },
    })
    expect(cache.semantic).to.deep.include({ threshold: 0.8, agreement: 'strict', dimensions: null })
  })

  it('have separate defaults in each reading, which no other reading can change', () => {
    const one = completeFile({})
    one.server.trusted_proxies.push('127.0.0.1')
    one.plugins.packages.push('./other')
    const other = completeFile({})
    expect([other.server.trusted_proxies, other.plugins.packages]).to.deep.equal([[], []])
  })

  it('are equal for two readings of a file: a reload sees only changes', () => {
    const [one, other] = [
      settingsAtStart(completeFile({})),
      settingsAtStart(completeFile({ server: { port: 1 } })),
    ]
    expect(Object.keys(one)).to.deep.equal(Object.keys(other))
    const changed = Object.keys(one).filter((path) => one[path] !== other[path])
    expect(changed).to.deep.equal(['/server/port'])
    expect(one).to.include.keys('/store/url', '/redis/fail_closed', '/logs/url', '/cache/max_bytes')
    expect(one).not.to.have.any.keys('/server/body_limit', '/logs/bodies')
  })

  it('need a restart only when TLS is switched on or off, not for another certificate', () => {
    const withTls = (cert: string) => settingsAtStart(completeFile({ server: { tls: { cert, key: 'k' } } }))
    expect(withTls('a')).to.deep.equal(withTls('b'))
    expect(withTls('a')).not.to.deep.equal(settingsAtStart(completeFile({})))
  })
})
