/**
 * Vendors of images with dialects of their own. Sources: https://platform.stability.ai/docs/api-reference,
 * https://docs.segmind.com/docs/serverless-api,
 * https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt
 */
import { compatibleErrorAnswer } from './compatible.ts'
import { jsonAnswer, type PlayedCall, textsIn, type Vendor } from './vendor.ts'

const bytes = (image: string) => ({
  status: 200,
  headers: { 'content-type': 'image/png' },
  pieces: [Buffer.from(image, 'base64')],
})

/** The whole body as one text, for forms. */
const heard = ({ request }: PlayedCall) => ({ texts: [request.text, ...textsIn(request.json)] })

export const stableImage: Vendor = {
  dialects: ['stability-stable-image'],
  whole: ({ image }) => jsonAnswer({ image, finish_reason: 'SUCCESS', seed: 7 }),
  error: (status, message) => jsonAnswer({ id: 'e1', name: 'vendor_error', errors: [message] }, status),
  heard,
}

export const stabilityEngine: Vendor = {
  dialects: ['stability-engine'],
  whole: ({ image }) => jsonAnswer({ artifacts: [{ base64: image, finishReason: 'SUCCESS', seed: 7 }] }),
  error: (status, message) => jsonAnswer({ id: 'e1', name: 'vendor_error', message }, status),
  heard,
}

export const segmind: Vendor = {
  dialects: ['segmind-image'],
  whole: ({ image }) => bytes(image),
  error: (status, message) => jsonAnswer({ error: message }, status),
  heard,
}

export const fireworks: Vendor = {
  dialects: ['fireworks-image'],
  whole: ({ image }) => bytes(image),
  error: compatibleErrorAnswer,
  heard,
}
