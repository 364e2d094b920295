/** Shared by both image endpoints: images are counted in addition to the tokens that the provider may report. */
import type { JsonObject } from '@gateway/contract'
import {
  addText,
  eachObject,
  noUsage,
  type TextReader,
  type Usage,
  withUnits,
} from '@gateway/contract/dialect'
import { imageFormat } from '@gateway/streaming'

export const imageAnswerTexts: TextReader = (body, parts) =>
  eachObject(body.data, (image, index) =>
    addText(image.revised_prompt, { role: 'prompt', path: `/data/${index}/revised_prompt`, parts }),
  )

export function readImageUsage(body: JsonObject): Usage | null {
  const reported = imageFormat.usageOf(body, null)
  return Array.isArray(body.data) ? withUnits(reported ?? noUsage, { image: body.data.length }) : reported
}
