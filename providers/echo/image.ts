/** Images: a PNG of one pixel, whose colour depends on the prompt and on the images to edit. */
import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { JsonObject, ProcedureAnswer, ProcedureContext } from '@gateway/contract'
import { firstNumber, seconds } from './text.ts'

export async function imageGenerate(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer> {
  const prompt = String(body.prompt ?? '')
  return imageAnswer(body, context, onePixel(prompt))
}

export async function imageEdit(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer> {
  const digest = createHash('sha256').update(String(body.prompt ?? ''))
  for (const { bytes } of context.files) digest.update(bytes)
  const image = onePixel(digest.digest('hex'))
  if (body.stream === true) return { status: 200, headers: {}, body: null, stream: events(image, context) }
  return imageAnswer(body, context, image)
}

function imageAnswer(body: JsonObject, context: ProcedureContext, bytes: Buffer): ProcedureAnswer {
  const prompt = String(body.prompt ?? '')
  const image = bytes.toString('base64')
  const data = Array.from({ length: firstNumber(body.n) ?? 1 }, () =>
    body.response_format === 'b64_json'
      ? { b64_json: image, revised_prompt: prompt }
      : { url: `data:image/png;base64,${image}`, revised_prompt: prompt },
  )
  return { status: 200, headers: {}, body: { created: seconds(context.now()), data }, stream: null }
}

async function* events(
  image: Buffer,
  context: ProcedureContext,
): AsyncGenerator<JsonObject, void, undefined> {
  yield {
    type: 'image_edit.completed',
    b64_json: image.toString('base64'),
    created_at: seconds(context.now()),
    output_format: 'png',
    size: '1x1',
  }
}

/** https://www.w3.org/TR/png/ : signature, header, one row of one RGB pixel, end. */
function onePixel(seed: string): Buffer {
  const [red = 0, green = 0, blue = 0] = createHash('sha256').update(seed).digest()
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])
  const row = deflateSync(Buffer.from([0, red, green, blue]))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, part('IHDR', header), part('IDAT', row), part('IEND', Buffer.alloc(0))])
}

function part(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
