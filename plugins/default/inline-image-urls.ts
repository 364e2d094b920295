/**
 * `default.inlineImageUrls`: embeds images that a request names by URL, for providers that cannot fetch them. The
 * gateway fetches them through the host guard. In chats and responses a data URL replaces the URL, in messages a base64
 * source.
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
          'Providers whose targets get embedded images, such as bedrock. Empty: all. If it is not empty, the ' +
          'hook must be set on the target: before a target is chosen nothing happens.',
      }),
    ),
    maxSizeBytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 104_857_600,
        default: 20_971_520,
        description: 'The maximum size in bytes, for one image and for all images of a request together.',
      }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 59_000,
        default: 30_000,
        description: 'Time limit for fetching all images, in milliseconds.',
      }),
    ),
    failOnError: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether an image that cannot be fetched makes the verdict false. Otherwise its URL stays.',
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
    'Fetches the http and https images of a chat, messages or responses request and replaces their ' +
    'URLs with them. Private addresses are refused unless they are among the trusted hosts.',
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
          // URLs of images are often signed, so the position is reported instead of the URL.
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
