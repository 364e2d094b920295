/**
 * Requirements for every provider with chat (or text) completions: plain, streamed, tools, images, schemas, broken
 * streams.
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import {
  calling,
  imageBody,
  instruction,
  png,
  saying,
  schema,
  schemaBody,
  text,
  tools,
} from './provider-said.ts'
import { carriesCredential, type Played, type ProviderScene } from './provider-scene.ts'
import { lacksOf } from './provider-settings.ts'
import { joinCalls, readStream, said } from './provider-stream.ts'
import { chatChunk, chatCompletion, expectMembers, textCompletion } from './required-members.ts'
import { type Feature, listOf, member, type Said } from './vendors/vendor.ts'

export function describeText(played: Played, scene: ProviderScene): void {
  const { endpoint, vendor } = played
  const object = endpoint === 'chatComplete' ? 'chat.completion' : 'text_completion'

  it('returns a plain answer', async () => {
    scene.play((call) => vendor.whole(saying, call))
    const reply = await scene.ask(played)
    expect(reply.status, reply.text).to.equal(200)
    expect(reply.body.object).to.equal(object)
    const choice = member(reply.body, 'choices', 0)
    expect(said(choice)).to.equal(text)
    expect(member(choice, 'finish_reason')).to.equal('stop')
    expectAnswer(played, reply.body)
    expectUsage(played, reply.body.usage)
    expectHeard(played, scene)
  })

  if (vendor.stream === undefined) return
  for (const isUsageAskedFor of [true, false]) {
    it(`streams, ${isUsageAskedFor ? 'with' : 'without'} the usage at its end`, async () => {
      play(played, scene, saying)
      const asked = isUsageAskedFor ? { stream_options: { include_usage: true } } : {}
      const reply = await scene.ask(played, { stream: true, ...asked })
      const { chunks, isDone } = readStream(reply)
      expect(isDone, reply.text).to.equal(true)
      const choices = chunks.flatMap((chunk) => listOf(chunk.choices))
      expectChunks(played, chunks)
      expect(choices.map(said).join('')).to.equal(text)
      const reasons = choices.map((choice) => member(choice, 'finish_reason')).filter(Boolean)
      expect(reasons).to.deep.equal(['stop'])
      // Usage that a provider sends unasked in a chunk with content stays there.
      const isOwn = (chunk: (typeof chunks)[number]) => !isUsageAskedFor && listOf(chunk.choices).length > 0
      const told = chunks.filter((chunk) => isUsage(chunk.usage) && !isOwn(chunk))
      expect(told.length, 'chunks with usage').to.equal(isUsageAskedFor ? 1 : 0)
      if (!isUsageAskedFor) return
      expect(told[0]).to.equal(chunks.at(-1))
      expect(told[0]?.choices).to.deep.equal([])
      expectUsage(played, told[0]?.usage)
    })
  }

  if (vendor.isLocal !== true) describeCuts(played, scene)
}

/** Chat alone. */
export function describeChat(played: Played, scene: ProviderScene): void {
  const { vendor } = played
  if (vendor.isLocal === true) return

  feature(played, { scene, what: 'tools', body: { tools } }, async () => {
    scene.play((call) => vendor.whole(calling, call))
    const reply = await scene.ask(played, { tools })
    expect(reply.status, reply.text).to.equal(200)
    const choice = member(reply.body, 'choices', 0)
    expect(member(choice, 'finish_reason')).to.equal('tool_calls')
    expectAnswer(played, reply.body)
    expectCalls(played, listOf(member(choice, 'message', 'tool_calls')))
    const heard = vendor.heard(scene.call(played))
    expect(heard.tools).to.deep.equal(['get_weather', 'get_time'])
  })

  if (vendor.stream !== undefined && !lacks(played, 'tools')) {
    it('streams tool calls', async () => {
      play(played, scene, calling)
      const reply = await scene.ask(played, { tools, stream: true })
      const { chunks, isDone } = readStream(reply)
      expect(isDone, reply.text).to.equal(true)
      const choices = chunks.flatMap((chunk) => listOf(chunk.choices))
      expectCalls(played, joinCalls(choices))
      expect(choices.map((choice) => member(choice, 'finish_reason')).filter(Boolean)).to.deep.equal([
        'tool_calls',
      ])
    })
  }

  feature(played, { scene, what: 'images', body: imageBody }, async () => {
    scene.play((call) => vendor.whole(saying, call))
    const reply = await scene.ask(played, imageBody)
    expect(reply.status, reply.text).to.equal(200)
    const images = vendor.heard(scene.call(played)).images ?? []
    expect(images.map((image) => image.replace(/^data:[^,]*,/, ''))).to.deep.equal([png])
  })

  feature(played, { scene, what: 'schema', body: schemaBody }, async () => {
    scene.play((call) => vendor.whole(saying, call))
    const reply = await scene.ask(played, schemaBody)
    expect(reply.status, reply.text).to.equal(200)
    const asked = vendor.heard(scene.call(played)).schema
    expect(Object.keys(Object(member(asked, 'properties')))).to.deep.equal(
      Object.keys(Object(schema.properties)),
    )
  })
}

/** A connection that ends in the middle of a stream is not the end of the stream. */
function describeCuts(played: Played, scene: ProviderScene): void {
  it('never ends a stream that breaks off as if it were complete', async () => {
    const { vendor } = played
    let pieces = 0
    scene.play(
      (call) => {
        const answer = vendor.stream?.(saying, call) ?? vendor.whole(saying, call)
        pieces = answer.pieces.length
        return answer
      },
      { cutAfter: 5 },
    )
    const reply = await scene.ask(played, { stream: true })
    expect(pieces, 'pieces of the stream').to.be.above(5)
    const { chunks, isDone, error } = readStream(reply)
    expect(isDone).to.equal(false)
    expect(error, reply.text).to.include({ code: 'upstream_invalid_response' })
    expect(
      text.startsWith(
        chunks
          .flatMap((chunk) => listOf(chunk.choices))
          .map(said)
          .join(''),
      ),
    ).to.equal(true)
  })
}

const lacks = ({ adapter, vendor }: Played, what: Feature) =>
  lacksOf(adapter.name).includes(what) || (vendor.lacks ?? []).includes(what)

interface FeatureOptions {
  scene: ProviderScene
  what: Feature
  body: JsonObject
}

/** A feature works, or is refused by name; it is never ignored. */
function feature(played: Played, { scene, what, body }: FeatureOptions, test: () => Promise<void>) {
  if (!lacks(played, what)) {
    it(`accepts ${what}`, test)
    return
  }
  it(`refuses ${what}, which it does not support`, async () => {
    scene.play((call) => played.vendor.whole(saying, call))
    const { status, error } = await scene.ask(played, body)
    expect([status, error.code]).to.deep.equal([400, 'invalid_body'])
    expect(error.message).to.include(played.adapter.name)
    expect(error.param).to.match(/^\//)
    expect(scene.seen()).to.deep.equal([])
  })
}

function play({ vendor }: Played, scene: ProviderScene, script: Said): void {
  scene.play((call) => vendor.stream?.(script, call) ?? vendor.whole(script, call))
}

/** Every member that the format requires, in answers that the gateway writes; others pass as the provider wrote them. */
function expectAnswer({ endpoint, vendor }: Played, body: unknown): void {
  const required = endpoint === 'chatComplete' ? chatCompletion : textCompletion
  if (vendor.dialects.some((name) => name.startsWith('compatible-'))) return
  expectMembers(body, required.answer)
  for (const choice of listOf(member(body, 'choices'))) {
    expectMembers(choice, required.choice)
    const message = member(choice, 'message')
    if (message !== undefined) expectMembers(message, chatCompletion.message)
    for (const call of listOf(member(message, 'tool_calls'))) expectMembers(call, chatCompletion.call)
  }
}

function expectChunks({ endpoint, vendor }: Played, chunks: readonly unknown[]): void {
  if (vendor.dialects.some((name) => name.startsWith('compatible-'))) return
  for (const chunk of chunks) {
    expectMembers(chunk, chatChunk.chunk)
    if (endpoint !== 'chatComplete') continue
    for (const choice of listOf(member(chunk, 'choices'))) expectMembers(choice, chatChunk.choice)
  }
}

const isUsage = (usage: unknown) => typeof usage === 'object' && usage !== null

function expectUsage({ vendor }: Played, usage: unknown): void {
  if (vendor.hasNoUsage === true) return
  const { prompt, completion } = saying.usage
  expect(usage).to.include({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  })
}

function expectHeard(played: Played, scene: ProviderScene): void {
  const { adapter, endpoint, vendor } = played
  if (vendor.isLocal === true) return
  const call = scene.call(played)
  expect(carriesCredential(call.request), 'a credential').to.equal(adapter.credential !== 'none')
  const heard = vendor.heard(call).texts.join('\n')
  expect(heard).to.include(text)
  if (endpoint === 'chatComplete') expect(heard).to.include(instruction)
}

function expectCalls({ vendor }: Played, calls: readonly unknown[]): void {
  const read = calls.map((call) => ({
    name: member(call, 'function', 'name'),
    input: JSON.parse(String(member(call, 'function', 'arguments'))),
  }))
  expect(read).to.deep.equal(calling.calls.map(({ name, input }) => ({ name, input })))
  const ids = calls.map((call) => member(call, 'id'))
  if (vendor.hasNoCallIds !== true) expect(ids).to.deep.equal(calling.calls.map(({ id }) => id))
  for (const id of ids) expect(id).to.be.a('string').and.not.equal('')
  expect(new Set(ids).size).to.equal(ids.length)
}
