/**
 * The suite of all providers: every endpoint of an adapter against a local server that plays its vendor, through a
 * real gateway. A vendor is a fixture in `vendors/`; an adapter without one fails.
 */
import { type InferenceEndpoint, inferenceEndpoints, type ProviderAdapter } from '@gateway/contract'
import { findDialect } from './find-dialect.ts'
import { describeBytes } from './provider-bytes.ts'
import { describeChat, describeText } from './provider-chat.ts'
import { describeErrors } from './provider-errors.ts'
import { describeEmbed, describeImage, describeRerank } from './provider-others.ts'
import type { Played, ProviderScene } from './provider-scene.ts'
import { modelsOf } from './provider-settings.ts'
import { describeTranslated } from './provider-translated.ts'
import { vendorOf } from './vendors/index.ts'

const describers: Readonly<
  Record<InferenceEndpoint, readonly ((played: Played, scene: ProviderScene) => void)[]>
> = {
  chatComplete: [describeText, describeChat, describeTranslated, describeErrors],
  complete: [describeText, describeErrors],
  embed: [describeEmbed, describeErrors],
  imageGenerate: [describeImage, describeErrors],
  rerank: [describeRerank, describeErrors],
}

/**
 * Runs an adapter.
 * @param tried dialects whose streams were cut at every byte already
 */
export function describeProvider(adapter: ProviderAdapter, scene: ProviderScene, tried: Set<string>): void {
  for (const endpoint of inferenceEndpoints) {
    const declared = adapter.endpoints[endpoint]
    if (declared === undefined) continue
    const models = modelsOf(adapter.name, endpoint)
    for (const model of models) {
      describe(`${adapter.name} ${endpoint}${models.length > 1 ? ` (${model})` : ''}`, () => {
        const found = findDialect(adapter, endpoint, { declared, model })
        const vendor = typeof found === 'string' ? undefined : vendorOf(found.name)
        if (typeof found === 'string' || vendor === undefined) {
          it('has a vendor in test/conformance/vendors', () => {
            throw new Error(typeof found === 'string' ? found : `No vendor plays ${found.name}.`)
          })
          return
        }
        const played: Played = { adapter, endpoint, model, dialect: found.name, vendor }
        for (const describer of describers[endpoint]) describer(played, scene)
        if (found.dialect === null) return
        describeBytes(played, found.dialect, !tried.has(found.name))
        tried.add(found.name)
      })
    }
  }
}
