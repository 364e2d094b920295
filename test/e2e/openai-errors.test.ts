/** The gateway's errors in the `openai` package: its class for each status, and the members. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import OpenAI from 'openai'
import { adminKey } from '../support/gateway.ts'
import { openScene } from '../support/scene.ts'
import { chatEvents, openUpstream } from '../support/upstream.ts'

const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`

describe('the errors of the openai package', () => {
  const scene = openScene(() => ({
    api_keys: [{ name: 'lister', key_hash: hashOf('lister'), scopes: ['models.list'] }],
  }))
  const messages = [{ role: 'user' as const, content: 'x' }]
  const clientOf = (config: unknown, apiKey = adminKey) =>
    new OpenAI({
      apiKey,
      baseURL: `${scene.gateway.url}/v1`,
      maxRetries: 0,
      defaultHeaders: { 'x-gateway-config': typeof config === 'string' ? config : JSON.stringify(config) },
    })
  const failure = async (client: OpenAI, extra: object = {}) => {
    const error: unknown = await client.chat.completions.create({ model: 'm', messages, ...extra }).then(
      () => null,
      (caught: unknown) => caught,
    )
    expect(error).to.be.instanceOf(OpenAI.APIError)
    return error as InstanceType<typeof OpenAI.APIError>
  }
  const echo = { provider: 'echo' }

  const byStatus: [status: number, type: new (...given: never[]) => Error][] = [
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [409, OpenAI.ConflictError],
    [422, OpenAI.UnprocessableEntityError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
    [529, OpenAI.InternalServerError],
  ]
  for (const [status, type] of byStatus) {
    it(`have the class for ${status} from a provider`, async () => {
      scene.answers.a = status
      const error = await failure(clientOf(scene.leaf('a')))
      expect(error).to.be.instanceOf(type)
      expect([error.status, error.code, error.type]).to.deep.equal([status, 'told', 'told'])
      expect(error.message).to.contain(`a says ${status}`)
    })
  }

  it('have the class for an error of the gateway', async () => {
    const wrongKey = await failure(clientOf(echo, 'wrong'))
    expect(wrongKey).to.be.instanceOf(OpenAI.AuthenticationError)
    expect(wrongKey.code).to.equal('invalid_api_key')

    const noScope = await failure(clientOf(echo, 'lister'))
    expect(noScope).to.be.instanceOf(OpenAI.PermissionDeniedError)
    expect([noScope.code, noScope.param]).to.deep.equal(['missing_scope', 'completions.write'])

    const unknown = await failure(clientOf('nobody'))
    expect(unknown).to.be.instanceOf(OpenAI.NotFoundError)
    expect(unknown.code).to.equal('unknown_config')

    const bad = await failure(clientOf(echo), { temperature: 9 })
    expect(bad).to.be.instanceOf(OpenAI.BadRequestError)
    expect([bad.code, bad.param]).to.deep.equal(['invalid_body', '/temperature'])

    const gone = await openUpstream()
    await gone.close()
    const unreachable = await failure(clientOf({ provider: 'openai', api_key: 'k', custom_host: gone.url }))
    expect(unreachable).to.be.instanceOf(OpenAI.InternalServerError)
    expect([unreachable.status, unreachable.code]).to.deep.equal([502, 'upstream_unreachable'])
  })

  it('are thrown for a stream that breaks off, which never looks complete', async () => {
    const stream = await clientOf(echo).chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'one two three four' }],
      stream: true,
      echo: { fail_after_tokens: 2 },
    } as OpenAI.ChatCompletionCreateParamsStreaming)
    let text = ''
    let error: unknown
    try {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    } catch (caught) {
      error = caught
    }
    expect(text).to.match(/^one/).and.not.to.contain('four')
    expect(error).to.be.instanceOf(OpenAI.APIError)
    expect((error as { code: unknown }).code).to.equal('echo_error')
  })

  describe('after an abort by the client', () => {
    /** An upstream that reports when its caller has disconnected. */
    const opens = (begin: (response: import('node:http').ServerResponse) => void) => {
      let left: () => void = () => undefined
      const gone = new Promise<void>((resolve) => {
        left = resolve
      })
      scene.answers.a = (_request, response) => {
        response.once('close', left)
        begin(response)
      }
      return gone
    }

    it('before the answer: the call to the provider is aborted', async () => {
      const caller = new AbortController()
      const gone = opens(() => caller.abort())
      const asking = clientOf(scene.leaf('a')).chat.completions.create(
        { model: 'm', messages },
        { signal: caller.signal },
      )
      const error: unknown = await asking.then(
        () => null,
        (caught: unknown) => caught,
      )
      expect(error).to.be.instanceOf(OpenAI.APIUserAbortError)
      await gone
    })

    it("in the middle of a stream: the provider's stream is aborted", async () => {
      const gone = opens((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(chatEvents('first').slice(0, 2).join(''))
      })
      const stream = await clientOf(scene.leaf('a')).chat.completions.create({
        model: 'm',
        messages,
        stream: true,
      })
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content === 'first') stream.controller.abort()
      }
      await gone
    })
  })
})
