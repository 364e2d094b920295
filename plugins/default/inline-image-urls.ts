/**
 * `default.inlineImageUrls`: images that a request names by URL become part of it, for providers that cannot fetch them.
 * The gateway fetches them through the host guard. In chats and responses a data URL takes the URL's place, in messages
 * a base64 source.
 */
import type { Check, EndpointId, JsonObject } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { createImageFetcher, type ImageProblem } from './shared/fetch-image.ts'
import { replaceImages } from './shared/images.ts'
import { inParallel } from './shared/in-parallel.ts'
import type { Filled } from './shared/parameters.ts'

const parameters = Type.Object(
  {
    providers: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        default: [],
        description:
          'Names of the providers for whose targets it is done, such as bedrock. Empty: all. Where it names some, the ' +
          'hook must stand at the target: before a target was chosen nothing is done.',
      }),
    ),
    maxSizeBytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 104_857_600,
        default: 20_971_520,
        description: 'The most bytes that one image may have, and all images of a request together.',
      }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 59_000,
        default: 30_000,
        description: 'Milliseconds until all images must be there.',
      }),
    ),
    failOnError: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether an image that cannot be had makes the verdict false. Otherwise its URL stays.',
      }),
    ),
  },
  { additionalProperties: false },
)

const atOnce = 4

export const inlineImageUrls: Check<Filled<typeof parameters>> = {
  id: 'inlineImageUrls',
  title: 'Inline image URLs',
  description:
    'Fetches the http and https images of a chat, messages or responses request and puts them in the place of their ' +
    'URLs. Private addresses are refused unless they are among the trusted hosts.',
  kind: 'mutator',
  phases: ['before'],
  parameters,
  prepare({ providers, maxSizeBytes, timeoutMs, failOnError }) {
    return {
      async run({ endpoint, provider, request: { json } }, io) {
        const isMeant = providers.length === 0 || (provider !== null && providers.includes(provider))
        const urls = isMeant ? urlsOf(endpoint, json) : []
        const fetchImage = createImageFetcher(io, maxSizeBytes, timeoutMs)
        const fetched = new Map(
          await inParallel(urls, atOnce, async (url) => [url, await fetchImage(url)] as const),
        )
        const failed: { path: string; problem: ImageProblem }[] = []
        let inlined = 0
        const body = replaceImages(endpoint, json, (url, path) => {
          const image = fetched.get(url)
          // URLs of images are often signed: the place is told, not the URL.
          if (typeof image === 'string') failed.push({ path, problem: image })
          if (typeof image !== 'object') return null
          inlined += 1
          return image
        })
        const verdict = !failOnError || failed.length === 0
        const data = { inlined, failed }
        return body === json ? { verdict, data } : { verdict, data, transformed: { json: body } }
      },
    }
  },
}

/** Each URL once. */
function urlsOf(endpoint: EndpointId, json: JsonObject): string[] {
  const urls = new Set<string>()
  replaceImages(endpoint, json, (url) => {
    urls.add(url)
    return null
  })
  return [...urls]
}
