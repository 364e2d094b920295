/** Requirements for every provider with embeddings, images or reranking. */
import { expect } from 'chai'
import { png, saying, text } from './provider-said.ts'
import { carriesCredential, type Played, type ProviderScene } from './provider-scene.ts'
import { embeddings, expectMembers, images } from './required-members.ts'
import { listOf, member } from './vendors/vendor.ts'

export function describeEmbed(played: Played, scene: ProviderScene): void {
  it('creates embeddings', async () => {
    const reply = await askPlainly(played, scene)
    expect(reply.body.object).to.equal('list')
    const data = listOf(reply.body.data)
    expect(data.map((item) => member(item, 'index'))).to.deep.equal([0, 1])
    expectMembers(reply.body, embeddings.answer)
    for (const item of data) expectMembers(item, embeddings.item)
    expectMembers(reply.body.usage, embeddings.usage)
    if (played.vendor.isLocal === true) return
    expect(data.map((item) => member(item, 'embedding'))).to.deep.equal(saying.vectors)
    if (played.vendor.hasNoUsage === true) return
    expect(reply.body.usage).to.include({ prompt_tokens: saying.usage.prompt })
  })

  it('creates embeddings as base64 when that was requested', async () => {
    const reply = await askPlainly(played, scene, { encoding_format: 'base64' })
    const [first] = listOf(reply.body.data)
    const bytes = Buffer.from(String(member(first, 'embedding')), 'base64')
    expect(bytes.length % 4).to.equal(0)
    if (played.vendor.isLocal === true) return
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).to.deep.equal(saying.vectors[0])
  })
}

export function describeImage(played: Played, scene: ProviderScene): void {
  for (const response_format of ['url', 'b64_json']) {
    it(`generates an image as ${response_format}`, async () => {
      const reply = await askPlainly(played, scene, { response_format })
      expectMembers(reply.body, images.answer)
      expect(reply.body.created).to.be.a('number')
      const [image, ...more] = listOf(reply.body.data)
      expect(more).to.deep.equal([])
      const url = member(image, 'url')
      // Some vendors return only a URL.
      if (typeof url === 'string') expect(url).to.match(/^(https:\/\/|data:image\/png;base64,)/)
      else if (played.vendor.isLocal !== true) expect(image).to.include({ b64_json: png })
    })
  }
}

export function describeRerank(played: Played, scene: ProviderScene): void {
  it('reranks, best first', async () => {
    const reply = await askPlainly(played, scene)
    expect(reply.body).to.include({ object: 'list', provider: played.adapter.name })
    expect(member(reply.body, 'usage', 'search_units')).to.be.a('number')
    const results = listOf(reply.body.results)
    if (played.vendor.isLocal === true) return
    expect(results).to.deep.equal([
      { index: 1, relevance_score: saying.scores[1] },
      { index: 0, relevance_score: saying.scores[0] },
    ])
  })

  it('returns the documents on request', async () => {
    const reply = await askPlainly(played, scene, { return_documents: true })
    const texts = listOf(reply.body.results).map((result) => member(result, 'document', 'text'))
    expect([...texts].sort()).to.deep.equal(['First document', 'Second document'])
  })
}

/** A call that the vendor understood and answered. */
async function askPlainly(played: Played, scene: ProviderScene, body: Record<string, string | boolean> = {}) {
  const { adapter, vendor } = played
  scene.play((call) => vendor.whole(saying, call))
  const reply = await scene.ask(played, body)
  expect(reply.status, reply.text).to.equal(200)
  if (vendor.isLocal === true) return reply
  const call = scene.call(played)
  expect(carriesCredential(call.request), 'a credential').to.equal(adapter.credential !== 'none')
  const calls = vendor.isAskedPerText === true ? scene.seen() : [call.request]
  const texts = calls.flatMap((request) => vendor.heard({ ...call, request }).texts)
  expect(texts.join('\n')).to.include(text)
  return reply
}
