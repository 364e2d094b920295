/**
 * The block type and the API's format name of a file, by media type or by file name.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlock.html (DocumentBlock,
 * VideoBlock, AudioBlock)
 */
import type { AudioFormat, DocumentFormat, ImageFormat, VideoFormat } from '@aws-sdk/client-bedrock-runtime'

export type MediaFormat =
  | { kind: 'image'; format: ImageFormat }
  | { kind: 'document'; format: DocumentFormat }
  | { kind: 'video'; format: VideoFormat }
  | { kind: 'audio'; format: AudioFormat }

const image = (format: ImageFormat): MediaFormat => ({ kind: 'image', format })
const document = (format: DocumentFormat): MediaFormat => ({ kind: 'document', format })
const video = (format: VideoFormat): MediaFormat => ({ kind: 'video', format })
const audio = (format: AudioFormat): MediaFormat => ({ kind: 'audio', format })

const byExtension: Readonly<Record<string, MediaFormat>> = {
  png: image('png'),
  jpg: image('jpeg'),
  jpeg: image('jpeg'),
  gif: image('gif'),
  webp: image('webp'),
  pdf: document('pdf'),
  csv: document('csv'),
  doc: document('doc'),
  docx: document('docx'),
  xls: document('xls'),
  xlsx: document('xlsx'),
  html: document('html'),
  htm: document('html'),
  txt: document('txt'),
  json: document('txt'),
  md: document('md'),
  mp4: video('mp4'),
  mov: video('mov'),
  mkv: video('mkv'),
  webm: video('webm'),
  flv: video('flv'),
  mpeg: video('mpeg'),
  mpg: video('mpg'),
  wmv: video('wmv'),
  '3gp': video('three_gp'),
  wav: audio('wav'),
  mp3: audio('mp3'),
  flac: audio('flac'),
  ogg: audio('ogg'),
  opus: audio('opus'),
  aac: audio('aac'),
  m4a: audio('m4a'),
}

const byMediaType: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/json': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'video/webm': 'webm',
  'video/x-flv': 'flv',
  'video/mpeg': 'mpeg',
  'video/x-ms-wmv': 'wmv',
  'video/3gpp': '3gp',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/flac': 'flac',
  'audio/ogg': 'ogg',
  'audio/aac': 'aac',
  'audio/mp4': 'm4a',
}

/** The format of a media type (lower case, without parameters); null for an unsupported one. */
export function formatOfType(mediaType: string): MediaFormat | null {
  const extension = Object.hasOwn(byMediaType, mediaType) ? byMediaType[mediaType] : undefined
  if (extension !== undefined) return formatOfExtension(extension)
  return mediaType.startsWith('text/') ? document('txt') : null
}

/** The format of a file name or URL by its extension; null for an unsupported one. */
export function formatOfName(name: string): MediaFormat | null {
  const path = name.split(/[?#]/, 1)[0] ?? ''
  return formatOfExtension(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}

/** The format of an extension; null for an unsupported one. */
export function formatOfExtension(extension: string): MediaFormat | null {
  return Object.hasOwn(byExtension, extension) ? (byExtension[extension] ?? null) : null
}
