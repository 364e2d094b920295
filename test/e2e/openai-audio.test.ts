/** The `openai` package as the caller, unmodified, on the routes that take files or give audio. */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import OpenAI, { toFile } from 'openai'
import type { SpeechCreateParams } from 'openai/resources/audio/speech'
import type { TranscriptionCreateParamsNonStreaming } from 'openai/resources/audio/transcriptions'
import { readForm, sound } from '../support/form.ts'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { type Handler, openUpstream, sendEvents, sendJson, type Upstream } from '../support/upstream.ts'

const clientOf = (gateway: TestGateway, headers: Record<string, string>) =>
  new OpenAI({ apiKey: adminKey, baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders: headers })

describe('the openai package with echo, beyond text', () => {
  let gateway: TestGateway
  let client: OpenAI
  before(async () => {
    gateway = await startGateway({ providers: { e: { provider: 'echo' } } })
    client = clientOf(gateway, { 'x-gateway-provider': '@e' })
  })
  after(() => gateway.stop())

  const speak = async (extra: Partial<SpeechCreateParams> = {}) => {
    const response = await client.audio.speech.create({
      model: 'echo-speech-1',
      voice: 'alloy',
      input: 'The quick brown fox.',
      ...extra,
    })
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const transcribe = async (extra: Partial<TranscriptionCreateParamsNonStreaming> = {}) => {
    const { bytes } = await speak()
    const asked = { model: 'echo-transcript-1', file: await toFile(bytes, 'fox.wav'), ...extra }
    return client.audio.transcriptions.create(asked as TranscriptionCreateParamsNonStreaming)
  }

  it('generates speech, the same each time', async () => {
    const { response, bytes } = await speak()
    expect(response.headers.get('content-type')).to.equal('audio/wav')
    expect(bytes.toString('latin1', 0, 4)).to.equal('RIFF')
    expect(bytes.readUInt32LE(4)).to.equal(bytes.length - 8)
    expect((await speak()).bytes).to.deep.equal(bytes)
    const { response: bare } = await speak({ response_format: 'pcm' })
    expect(bare.headers.get('content-type')).to.equal('audio/pcm')
  })

  it('runs guardrails on the text of speech', async () => {
    expect(await transcribe()).to.have.property('text', 'The quick brown fox.')
    const { bytes } = await speak()
    const translation = await client.audio.translations.create({
      model: 'm',
      file: await toFile(bytes, 'fox.wav'),
    })
    expect(translation.text).to.equal('The quick brown fox.')
  })

  it('transcribes in every format', async () => {
    expect(await transcribe({ response_format: 'text' })).to.equal('The quick brown fox.\n')
    expect(await transcribe({ response_format: 'srt' })).to.contain(
      '00:00:00,000 --> 00:00:00,200\nThe quick',
    )
    expect(await transcribe({ response_format: 'vtt' })).to.match(/^WEBVTT\n\n00:00:00\.000 --> /)
    const verbose = await transcribe({
      response_format: 'verbose_json',
      timestamp_granularities: ['segment'],
    })
    expect(verbose).to.have.nested.property('segments[0].text', 'The quick brown fox.')
  })

  it('transcribes with words and times', async () => {
    const stream = await client.audio.transcriptions.create({
      model: 'm',
      file: await toFile((await speak()).bytes, 'fox.wav'),
      stream: true,
    })
    const pieces: string[] = []
    let whole = ''
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') pieces.push(event.delta)
      if (event.type === 'transcript.text.done') whole = event.text
    }
    expect(pieces).to.have.length(4)
    expect([pieces.join(''), whole]).to.deep.equal(['The quick brown fox.', 'The quick brown fox.'])
  })

  it('moderates a text', async () => {
    const { results } = await client.moderations.create({ input: ['a', 'b'] })
    expect(results.map(({ flagged }) => flagged)).to.deep.equal([false, false])
  })

  it('edits images, plain and streamed', async () => {
    const image = await toFile(sound, 'a.png', { type: 'image/png' })
    const answer = await client.images.edit({
      image: [image, image],
      prompt: 'a hat',
      response_format: 'b64_json',
    })
    const bytes = Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64')
    expect(bytes.toString('latin1', 1, 4)).to.equal('PNG')
    const types: string[] = []
    for await (const event of await client.images.edit({ image, prompt: 'a hat', stream: true }))
      types.push(event.type)
    expect(types).to.deep.equal(['image_edit.completed'])
  })

  it('throws for a refused file', async () => {
    const error = await client.audio.transcriptions
      .create({ model: 'm', file: await toFile(Buffer.alloc(0), 'empty.wav') })
      .catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(OpenAI.BadRequestError)
    expect(error).to.include({ code: 'invalid_file', param: '/file' })
  })
})

describe('the openai package with a mock OpenAI provider', () => {
  let upstream: Upstream
  let gateway: TestGateway
  let client: OpenAI
  let directory: string
  let handler: Handler = (_request, response) => sendJson(response, 200, { text: 'Hello.' })
  before(async () => {
    upstream = await openUpstream((request, response, count) => handler(request, response, count))
    gateway = await startGateway({
      providers: { o: { provider: 'openai', api_key: 'sk-own', custom_host: upstream.url } },
    })
    client = clientOf(gateway, { 'x-gateway-provider': '@o' })
    directory = await mkdtemp(join(tmpdir(), 'gateway-e2e-'))
    await writeFile(join(directory, 'speech.mp3'), sound)
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await rm(directory, { recursive: true })
  })

  it('sends a file from disk with all its parameters', async () => {
    const answer = await client.audio.transcriptions.create({
      model: 'gpt-4o-transcribe',
      file: createReadStream(join(directory, 'speech.mp3')),
      chunking_strategy: { type: 'server_vad', threshold: 0.5 },
      include: ['logprobs'],
      timestamp_granularities: ['word', 'segment'],
      temperature: 0.2,
    })
    expect(answer.text).to.equal('Hello.')
    const seen = upstream.seen.at(-1)
    if (seen === undefined) throw new Error('nothing was sent')
    expect(seen.headers.authorization).to.equal('Bearer sk-own')
    const { fields, files } = await readForm(seen)
    expect(Object.fromEntries(fields)).to.include({
      model: 'gpt-4o-transcribe',
      'chunking_strategy[type]': 'server_vad',
      'chunking_strategy[threshold]': '0.5',
      'include[]': 'logprobs',
      temperature: '0.2',
    })
    expect(fields.filter(([name]) => name === 'timestamp_granularities[]')).to.have.length(2)
    expect(files).to.have.length(1)
    expect(files[0]).to.include({ field: 'file', filename: 'speech.mp3' })
    expect(files[0]?.bytes).to.deep.equal(sound)
  })

  it('streams a transcript', async () => {
    handler = (_request, response) =>
      sendEvents(response, [
        'data: {"type":"transcript.text.delta","delta":"Hel"}\n\n',
        'data: {"type":"transcript.text.delta","delta":"lo."}\n\n',
        'data: {"type":"transcript.text.done","text":"Hello."}\n\n',
      ])
    const file = await toFile(sound, 'a.mp3')
    const stream = await client.audio.transcriptions.create({ model: 'm', file, stream: true })
    let text = ''
    for await (const event of stream) if (event.type === 'transcript.text.delta') text += event.delta
    expect(text).to.equal('Hello.')
  })

  it('receives speech as it arrives', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(sound.subarray(0, 300))
      response.end(sound.subarray(300))
    }
    const response = await client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'x' })
    const chunks: Uint8Array[] = []
    for await (const chunk of response.body ?? []) chunks.push(chunk as Uint8Array)
    expect(Buffer.concat(chunks)).to.deep.equal(sound)
  })
})
