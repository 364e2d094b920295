/**
 * Creates the body that stages read: the caller's body with the model of the path and, for a stream, `stream: true`,
 * which other formats have in their bodies.
 */
import { decodeSegment, isObject, type JsonObject } from '@gateway/contract'
import { inOwnSpelling } from './spelling.ts'

/** The root of the format's routes. */
export const root = '/v1beta'

/** The paths of an action on a model, whose name may contain slashes and colons. */
export const pathsOf = (action: string): { path: string; aliases: string[] } => ({
  path: `${root}/models/*model\\:${action}`,
  aliases: [`${root}/tunedModels/*model\\:${action}`],
})

const call = /^\/v1beta\/(?<model>.+):(?<action>[A-Za-z]+)$/

/** The model as written in other formats, without the prefix `models/` of this format. */
export const modelOf = (written: string): string => decodeSegment(written).replace(/^(?:models\/)+/, '')

/** A dry run by endpoint id has a path with parameter names; its body contains the model. */
const isTemplate = (model: string): boolean => model.includes('*')

export function contentBody(body: JsonObject, path: string): JsonObject {
  const own = inOwnSpelling(body)
  const { model = '', action = '' } = call.exec(path)?.groups ?? {}
  if (model === '' || isTemplate(model)) return own
  const { model: _model, stream: _stream, ...rest } = own
  return {
    model: modelOf(model),
    ...rest,
    ...(action === 'streamGenerateContent' ? { stream: true } : {}),
  }
}

/** A token count may contain a whole request instead of only its contents. */
export function countedBody(body: JsonObject, path: string): JsonObject {
  const { generateContentRequest: whole, ...rest } = contentBody(body, path)
  if (!isObject(whole)) return rest
  const { model: _, ...request } = whole
  return { ...rest, ...request }
}
