/**
 * The images that a request names by URL: in chats `image_url` parts, in messages `image` blocks with a `url` source,
 * in responses `input_image` parts, in contents `fileData`; also inside tool results. References:
 * https://platform.openai.com/docs/api-reference/chat/create, https://platform.claude.com/docs/en/api/messages,
 * https://www.openresponses.org/reference, https://ai.google.dev/api/caching#Part
 */
import { type EndpointId, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Image } from './fetch-image.ts'

interface ImageForm {
  /** The member of the request with its messages or items. */
  list: string
  /** The URL of a part, or undefined. */
  urlOf(part: JsonObject): Json | undefined
  /** The part with an image instead of its URL. */
  write(part: JsonObject, image: Image): JsonObject
}

const dataURL = ({ mediaType, bytes }: Image) => `data:${mediaType};base64,${bytes.toString('base64')}`

const chat: ImageForm = {
  list: 'messages',
  urlOf: ({ type, image_url }) => {
    if (type !== 'image_url') return undefined
    return isObject(image_url) ? image_url.url : image_url
  },
  write: (part, image) => ({
    ...part,
    image_url: isObject(part.image_url) ? { ...part.image_url, url: dataURL(image) } : dataURL(image),
  }),
}

const messages: ImageForm = {
  list: 'messages',
  urlOf: ({ type, source }) =>
    type === 'image' && isObject(source) && source.type === 'url' ? source.url : undefined,
  write: (part, { mediaType, bytes }) => ({
    ...part,
    source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') },
  }),
}

const responses: ImageForm = {
  list: 'input',
  urlOf: ({ type, image_url }) => (type === 'input_image' ? image_url : undefined),
  write: (part, image) => ({ ...part, image_url: dataURL(image) }),
}

const contents: ImageForm = {
  list: 'contents',
  urlOf({ fileData }) {
    if (!isObject(fileData)) return undefined
    const { mimeType, fileUri } = fileData
    return typeof mimeType !== 'string' || mimeType.startsWith('image/') ? fileUri : undefined
  },
  write: ({ fileData: _, ...part }, { mediaType, bytes }) => ({
    ...part,
    inlineData: { mimeType: mediaType, data: bytes.toString('base64') },
  }),
}

const forms: Readonly<Partial<Record<EndpointId, ImageForm>>> = {
  chatComplete: chat,
  messages,
  countTokens: messages,
  createModelResponse: responses,
  countResponseTokens: responses,
  compactResponse: responses,
  generateContent: contents,
  countContentTokens: contents,
}

/** Members of a message or a part that contain parts. */
const holders = ['content', 'output', 'parts'] as const
/** Parts inside parts inside messages, with a margin. */
const maxDepth = 8

/**
 * Makes a request in which images replace their URLs; returns the same object if it has no image URLs.
 * @param imageOf called for every http or https URL with the pointer of its part; null keeps the URL
 */
export function replaceImages(
  endpoint: EndpointId,
  json: JsonObject,
  imageOf: (url: string, path: string) => Image | null,
): JsonObject {
  const form = forms[endpoint]
  if (form === undefined) return json
  const inList = (list: Json | undefined, path: string, depth: number): Json | undefined => {
    if (!Array.isArray(list) || depth > maxDepth) return list
    const parts = list.map((part, index) => (isObject(part) ? inPart(part, `${path}/${index}`, depth) : part))
    return parts.some((part, index) => part !== list[index]) ? parts : list
  }
  const inPart = (part: JsonObject, path: string, depth: number): JsonObject => {
    const url = form.urlOf(part)
    const image = typeof url === 'string' && /^https?:\/\//i.test(url) ? imageOf(url, path) : null
    let changed = image === null ? part : form.write(part, image)
    for (const holder of holders) {
      const held = inList(part[holder], `${path}/${holder}`, depth + 1)
      if (held !== part[holder]) changed = { ...changed, [holder]: held }
    }
    return changed
  }
  const list = inList(json[form.list], `/${form.list}`, 0)
  return list === json[form.list] ? json : { ...json, [form.list]: list }
}
