/**
 * A service gets the capabilities that it declares, and no others. Using an undeclared one does not compile: a line
 * below `@ts-expect-error` without an error would not compile.
 */
import { defineService } from '@gateway/contract'
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { adminKey, startGateway } from '../../support/gateway.ts'

/** This is compiled but never opened. */
const undeclared = defineService({
  name: 'undeclared',
  title: 'Undeclared',
  needs: ['now'],
  open(context) {
    context.now()
    // @ts-expect-error it has not declared `documents`
    context.documents.get('workspace', 'default')
    return { routes: [] }
  },
})

/** A service whose route returns the members of its context. */
const sourceOf = (needs: readonly string[]) => `
export default {
  name: 'reach', title: 'Reach', needs: ${JSON.stringify(needs)},
  open: (context) => ({ routes: [{
    method: 'GET', path: '/v1/reach', operationId: 'reach', summary: 'Its reach', tag: 'Things', scope: null,
    handle: async () => ({ status: 200, body: Object.keys(context).sort() }),
  }] }),
}`

describe('the context of a service package', () => {
  it('has the types of the declared capabilities', () => {
    expect(undeclared.needs).to.deep.equal(['now'])
  })

  const packages = packageDirectory()
  const start = async (name: string, needs: readonly string[]) => {
    const directory = await packages.write({ name, kind: 'service', source: sourceOf(needs) })
    return startGateway({ plugins: { packages: [directory] } })
  }
  const reachOf = async (name: string, needs: readonly string[]): Promise<unknown> => {
    const gateway = await start(name, needs)
    try {
      const headers = { 'x-gateway-api-key': adminKey }
      return await (await fetch(`${gateway.url}/v1/reach`, { headers })).json()
    } finally {
      await gateway.stop()
    }
  }

  it('has the capabilities that the package declares, and no others', async () => {
    expect(await reachOf('two', ['now', 'documents'])).to.deep.equal(['documents', 'now'])
    expect(await reachOf('none', [])).to.deep.equal([])
  })

  it('is refused at startup for an unknown capability, with the nearest known one', async () => {
    const refused = await start('unknown', ['now', 'document']).then(
      async (gateway) => {
        await gateway.stop()
        return 'it started'
      },
      (error: unknown) => String(error),
    )
    expect(refused)
      .to.contain('The service "reach" needs a capability that this gateway lacks.')
      .and.to.contain('Unknown capability "document". Did you mean "documents"?')
  })
})
