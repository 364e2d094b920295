/** Many URL paths contain a model name; no name leaves its segment, and none causes a server error. */
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  inferenceEndpoints,
  isGatewayError,
  type ProviderAdapter,
  type ProviderEndpoint,
  type ProviderSettings,
} from '@gateway/contract'
import { expect } from 'chai'
import { discover } from '#core/discovery/discover'
import { targetOf } from '../conformance/provider-settings.ts'

/** This file is `test/dist/providers/model-paths.test.js`. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const { registry } = await discover({ packages: [], disabled: [], directory: root })

const base = 'http://vendor.test/base'
const climbing = [
  '.',
  '..',
  '../..',
  'a/../../b',
  'a/./b',
  '/..',
  '..\\..',
  'publishers/../models/..',
  'accounts/../../x',
]
const odd = [
  '%2e%2e',
  '%2e%2e/x',
  'a?b=c',
  'a#b',
  'a:b',
  'a b',
  'ü',
  'x:generateContent?key=1',
  '\ud800',
  'a//b',
]

interface Placed {
  adapter: ProviderAdapter
  declared: ProviderEndpoint
  settings: ProviderSettings
}

/** Every endpoint of every adapter. */
const placed = [...registry.providers.values()].flatMap((adapter) =>
  inferenceEndpoints.flatMap((id): Placed[] => {
    const declared = adapter.endpoints[id]
    const settings = { ...targetOf(adapter.name, 'http://127.0.0.1:1'), provider: adapter.name }
    return declared === undefined ? [] : [{ adapter, declared, settings }]
  }),
)

/** The path of a call with this model; null if the name is refused as an error of the caller, or needs no path. */
function pathOf({ declared, settings }: Placed, model: string): string | null {
  const body = { model, prompt: 'x', messages: [] }
  try {
    const endpoint = declared.kind === 'choice' ? declared.choose(body, settings) : declared
    if (endpoint.kind !== 'http') return null
    return typeof endpoint.path === 'string' ? endpoint.path : endpoint.path(body, settings)
  } catch (error) {
    if (!isGatewayError(error)) throw error
    expect(error.code).to.be.oneOf(['invalid_body', 'unsupported_endpoint'])
    return null
  }
}

describe('URL paths with a model name', () => {
  for (const model of [...climbing, ...odd]) {
    it(`keep ${JSON.stringify(model)} inside its segment, or refuse it`, () => {
      for (const call of placed) {
        const path = pathOf(call, model)
        if (path === null) continue
        const url = new URL(base + path)
        expect(`${url.origin}${url.pathname}${url.search}`, call.adapter.name).to.equal(base + path)
      }
    })
  }

  for (const model of climbing) {
    it(`contain no path traversal for ${JSON.stringify(model)}, for any decoding by the upstream`, () => {
      for (const call of placed) {
        const path = decodeURIComponent(pathOf(call, model) ?? '')
        expect(path.split(/[?#]/)[0], call.adapter.name).to.not.match(/(?:^|\/)\.{1,2}(?:\/|$)/)
      }
    })
  }
})
