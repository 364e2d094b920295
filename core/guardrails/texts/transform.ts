/** The body as a check wants it to be. */
import { type CheckInput, isObject, type JsonObject, type Transformation } from '@gateway/contract'
import type { CheckEnvironment } from '../check-io.ts'
import { rewriteFitting } from './rewrite-texts.ts'

/** A body as a transformation asks for it. */
export interface Applied {
  /** Null where none can be made. */
  body: JsonObject | null
  /** Why it is not all that was asked for; null when it is. */
  unfit: Error | null
}

const flowing = new Error('The answer flows already and cannot be changed.')

/** @throws for a body that cannot be */
export function transform(
  body: JsonObject,
  change: Transformation,
  { phase, response }: CheckInput,
  environment: CheckEnvironment,
): Applied {
  if (phase === 'after' && response?.json === null) return { body: null, unfit: flowing }
  if ('texts' in change) return rewriteFitting(body, change.texts)
  if (phase === 'before') environment.checkRequest(change.json)
  if (!isObject(change.json)) throw new Error('The check changed the body to something that is no object.')
  return { body: change.json, unfit: null }
}
