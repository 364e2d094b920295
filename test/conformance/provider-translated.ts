/**
 * Requirements for every provider of the compatible chat format: the allowed translations of requests of other formats.
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { instruction, saying, text } from './provider-said.ts'
import type { Played, ProviderScene } from './provider-scene.ts'
import { definedParameters, knowDeveloper } from './vendors/compatible-oddities.ts'
import { listOf, member } from './vendors/vendor.ts'

const messages: JsonObject = {
  max_tokens: 100,
  top_k: 5,
  system: [{ type: 'text', text: instruction, cache_control: { type: 'ephemeral' } }],
  messages: [{ role: 'user', content: text }],
}

const responses: JsonObject = {
  input: text,
  text: { verbosity: 'low' },
  prompt_cache_key: 'session-1',
  safety_identifier: 'person-1',
  service_tier: 'auto',
}

const tracked = {
  messages: ['cache_control', 'top_k'],
  createModelResponse: ['prompt_cache_key', 'safety_identifier', 'service_tier', 'verbosity'],
} as const

export function describeTranslated(played: Played, scene: ProviderScene): void {
  const { adapter, vendor } = played
  if (!vendor.dialects.includes('compatible-chat')) return
  const defined = definedParameters[adapter.name] ?? []

  it(
    knowDeveloper.has(adapter.name) ? 'gets the role developer' : 'gets the role system for developer',
    async () => {
      scene.play((call) => vendor.whole(saying, call))
      const said = [
        { role: 'developer', content: instruction },
        { role: 'user', content: text },
      ]
      expect((await scene.ask(played, { messages: said })).status).to.equal(200)
      const roles = listOf(member(scene.call(played).request.json, 'messages')).map((one) =>
        member(one, 'role'),
      )
      expect(roles).to.deep.equal([knowDeveloper.has(adapter.name) ? 'developer' : 'system', 'user'])
    },
  )

  const formats = [
    ['messages', 'Messages', '/v1/messages', messages],
    ['createModelResponse', 'Responses', '/v1/responses', responses],
  ] as const
  for (const [endpoint, format, path, body] of formats) {
    if (adapter.endpoints[endpoint] !== undefined) continue
    it(`gets of a ${format} request only the parameters that it defines`, async () => {
      scene.play((call) => vendor.whole(saying, call))
      const reply = await scene.send(played, path, body)
      expect(reply.status, reply.text).to.equal(200)
      const sent = scene.call(played).request.text
      const names: readonly string[] = tracked[endpoint]
      expect(names.filter((name) => sent.includes(`"${name}"`))).to.deep.equal(
        names.filter((name) => defined.includes(name)),
      )
    })
  }
}
