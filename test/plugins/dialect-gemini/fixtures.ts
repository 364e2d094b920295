/**
 * `generateContent` in front of two kinds of targets: one supports the format itself, the other chat completions.
 * Source of the vendor's bodies: https://ai.google.dev/api/generate-content
 */
import type { Reply, Scene } from '../../support/scene.ts'
import {
  answerOk,
  chatAnswer,
  chatEvents,
  type Handler,
  sendEvents,
  sendJson,
} from '../../support/upstream.ts'

/** Which target answers: `native` forwards contents, `translated` receives a chat completion request. */
export const kinds = ['native', 'translated'] as const
export type Kind = (typeof kinds)[number]

type Body = Record<string, unknown>

const about = { modelVersion: 'test-model', responseId: 'r1' }
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 }

const candidate = (parts: object[], rest: object = {}) => ({
  content: { parts, role: 'model' },
  ...rest,
  index: 0,
})

/** A whole answer with these parts. */
export const answer = (parts: object[], rest: object = {}): Body => ({
  candidates: [candidate(parts, { finishReason: 'STOP' })],
  usageMetadata,
  ...about,
  ...rest,
})

export const event = (data: object): string => `data: ${JSON.stringify(data)}\r\n\r\n`

/** The events of an answer with these texts. Each one contains the usage so far. */
export const events = (...pieces: string[]): string[] =>
  pieces.map((text, index) =>
    event({
      candidates: [candidate([{ text }], index === pieces.length - 1 ? { finishReason: 'STOP' } : {})],
      usageMetadata:
        index === pieces.length - 1 ? usageMetadata : { promptTokenCount: 3, totalTokenCount: 3 },
      ...about,
    }),
  )

/** A target that answers with these texts, in the format of the request. */
export const says =
  (...pieces: string[]): Handler =>
  (request, response, count) => {
    const said = pieces.join('')
    if (request.path.includes(':streamGenerateContent')) sendEvents(response, events(...pieces))
    else if (request.path.includes(':generateContent')) sendJson(response, 200, answer([{ text: said }]))
    else if (request.json?.stream === true) sendEvents(response, chatEvents(...pieces))
    else if (said === 'ok') answerOk(request, response, count)
    else sendJson(response, 200, chatAnswer(said))
  }

/** A target of this kind. */
export const targetOf = (scene: Scene, kind: Kind, { name, extra = {} }: { name: string; extra?: Body }) =>
  scene.leaf(name, { provider: kind === 'native' ? 'google' : 'openai', ...extra })

/** A request's body. */
export const ask = (text = 'hello', extra: Body = {}): Body => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  ...extra,
})

export const pathOf = (action: string, model = 'test-model') => `/v1beta/models/${model}:${action}`
const path = pathOf('generateContent')
export const streamPath = `${pathOf('streamGenerateContent')}?alt=sse`

interface AskContentOptions {
  body?: Body
  rest?: { path?: string; headers?: Record<string, string> }
}

/** Asks with this config. */
export const askContent = (
  scene: Scene,
  config: unknown,
  { body = ask(), rest = {} }: AskContentOptions = {},
): Promise<Reply> => scene.ask(config, { path, body, ...rest })

type Part = { text?: string; thought?: boolean; functionCall?: object; thoughtSignature?: string }
type Candidate = { content?: { parts?: Part[] }; finishReason?: string; index?: number }

/** The events of a reply. */
export const eventsOf = ({
  text,
}: Pick<Reply, 'text'>): { candidates?: Candidate[]; [name: string]: unknown }[] =>
  text
    .split(/\r?\n\r?\n/)
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one.replace(/^data: /, '')))

/** The parts of an answer's first candidate, or of its events. */
export const partsOf = (body: unknown): Part[] =>
  (body as { candidates?: Candidate[] }).candidates?.[0]?.content?.parts ?? []

/** The text that a stream delivered. */
export const textOf = (reply: Pick<Reply, 'text'>): string =>
  eventsOf(reply)
    .flatMap(partsOf)
    .map(({ text }) => text ?? '')
    .join('')

/** The text of a whole answer. */
export const saidBy = ({ body }: Pick<Reply, 'body'>): string =>
  partsOf(body)
    .map(({ text }) => text ?? '')
    .join('')
