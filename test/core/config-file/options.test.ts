import { availableParallelism } from 'node:os'
import { expect } from 'chai'
import { checkConfigText, createFileContext } from '#config-file/read-file'
import { configPath, readFlags, resolveOptions } from '#core/boot/options'

const { file } = checkConfigText(
  'server: { host: file.example, port: 1 }\nredis: { url: "redis://file" }\n',
  {},
  { context: createFileContext([]) },
)

describe('the options of the gateway', () => {
  it('prefer flags to the environment, and the environment to the file', () => {
    const environment = { GATEWAY_HOST: 'env.example', GATEWAY_PORT: '2', GATEWAY_REDIS_URL: 'redis://env' }
    const all = resolveOptions({ host: 'flag.example' }, environment, file)
    expect(all.faults).to.deep.equal([])
    expect(all.options).to.include({ host: 'flag.example', port: 2, redisUrl: 'redis://env' })
    expect(resolveOptions({}, {}, file).options).to.include({
      host: 'file.example',
      port: 1,
      redisUrl: 'redis://file',
    })
  })

  it('all have a default', () => {
    expect(resolveOptions({}, { GATEWAY_PORT: '', GATEWAY_ADMIN_KEY: '' }, null)).to.deep.equal({
      options: {
        host: '127.0.0.1',
        port: 8787,
        workers: 1,
        dataDir: './data',
        storeUrl: null,
        redisUrl: null,
        logsUrl: null,
        adminKey: null,
        encryptionKey: null,
        previousEncryptionKey: null,
        apiKeyPrefix: 'gw-',
        logLevel: null,
        logFormat: null,
      },
      faults: [],
    })
  })

  it('find the config file', () => {
    expect(configPath({ config: 'a' }, { GATEWAY_CONFIG: 'b' })).to.equal('a')
    expect(configPath({}, { GATEWAY_CONFIG: 'b' })).to.equal('b')
    expect(configPath({}, {})).to.equal('config/gateway.yaml')
  })

  const wrong: [name: string, value: string][] = [
    ['GATEWAY_PORT', '99999'],
    ['GATEWAY_PORT', '80a'],
    ['GATEWAY_PORT', '-1'],
    ['GATEWAY_WORKERS', '0'],
    ['GATEWAY_WORKERS', '1.5'],
    ['GATEWAY_WORKERS', 'many'],
    ['GATEWAY_REDIS_URL', 'localhost'],
    ['GATEWAY_ADMIN_KEY', 'with space'],
    ['GATEWAY_ENCRYPTION_KEY', 'c2hvcnQ='],
    ['API_KEY_PREFIX', 'gws_'],
    ['API_KEY_PREFIX', 'a b'],
  ]
  for (const [name, value] of wrong) {
    it(`report ${name} when it is ${JSON.stringify(value)}`, () => {
      const { faults } = resolveOptions({}, { [name]: value }, null)
      expect(faults.map(({ source }) => source)).to.deep.equal([name])
      expect(faults[0]?.message).to.match(/^must be /)
    })
  }

  it('report every wrong flag at once', () => {
    const { flags, faults } = readFlags({ port: '99999', workers: '0', host: 'here' })
    expect(faults.map(({ source }) => source)).to.deep.equal(['--port', '--workers'])
    expect(flags.host).to.equal('here')
  })

  it('count the processors for auto', () => {
    expect(resolveOptions({ workers: 'auto' }, {}, null).options.workers).to.equal(availableParallelism())
  })

  it('accept an encryption key of 32 bytes', () => {
    const key = Buffer.alloc(32, 7)
    const { options } = resolveOptions({}, { GATEWAY_ENCRYPTION_KEY: key.toString('base64') }, null)
    expect(options.encryptionKey).to.deep.equal(key)
  })
})
