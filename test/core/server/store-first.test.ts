/** The order in which packages are loaded. */
import { expect } from 'chai'
import { discover } from '#core/discovery/index'
import { packageDirectory } from '../../support/fixture-package.ts'

const mark = 'globalThis.evaluatedByStoreFirstTest'
const evaluated = globalThis as { evaluatedByStoreFirstTest?: boolean }

describe('the packages of a start', () => {
  const packages = packageDirectory()
  after(() => {
    delete evaluated.evaluatedByStoreFirstTest
  })

  it('are evaluated after the stores are known, and keep their order', async () => {
    const provider = await packages.write({
      name: 'first-provider',
      kind: 'provider',
      source: `${mark} = true
export default { name: 'first', title: 'T', docs: 'D', baseUrl: null, credential: 'none', auth: (r) => r, endpoints: {} }`,
    })
    const store = await packages.write({
      name: 'second-store',
      kind: 'store',
      source: `export default { name: 's', title: 'T', schemes: ['second:'], open: () => Promise.reject(new Error('closed')) }`,
    })
    const seen: unknown[] = []
    const { registry, faults } = await discover({
      packages: [provider, store],
      disabled: [],
      directory: provider,
      root: provider,
      onStores: (stores) => void seen.push([...stores.keys()], evaluated.evaluatedByStoreFirstTest),
    })
    expect(faults).to.deep.equal([])
    expect(seen).to.deep.equal([['second:'], undefined])
    expect(evaluated.evaluatedByStoreFirstTest).to.equal(true)
    expect(registry.packages.map(({ name }) => name)).to.deep.equal(['first-provider', 'second-store'])
  })
})
