/** Signed links to the file of an export, which need no credential. The signature covers the path and the expiry. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ServiceContext } from '@gateway/contract'
import { type ExportDocument, exportKind } from './data.ts'

const validSeconds = 3600

export const recordOfExport = (id: string) => `${exportKind}/${id}`
const pathOf = (id: string) => `/v1/logs/exports/${id}/file`

function signature(context: ServiceContext<'sealer'>, { id, data }: ExportDocument, expires: string): string {
  const key = context.sealer.open(data.sealed, recordOfExport(id))
  return createHmac('sha256', key)
    .update(`${pathOf(id)}\n${expires}`)
    .digest('base64url')
}

export function signedUrl(
  context: ServiceContext<'publicUrl' | 'sealer'>,
  document: ExportDocument,
  nowMs: number,
): string {
  const expires = String(Math.floor(nowMs / 1000) + validSeconds)
  const query = new URLSearchParams({ expires, signature: signature(context, document, expires) })
  return `${context.publicUrl()}${pathOf(document.id)}?${query}`
}

interface IsSignedOptions {
  query: Readonly<Record<string, string>>
  nowMs: number
}

export function isSigned(
  context: ServiceContext<'sealer'>,
  document: ExportDocument,
  { query: { expires = '', signature: given = '' }, nowMs }: IsSignedOptions,
): boolean {
  if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 < nowMs) return false
  const [wanted, sent] = [signature(context, document, expires), given].map((text) => Buffer.from(text))
  return (
    wanted !== undefined &&
    sent !== undefined &&
    wanted.length === sent.length &&
    timingSafeEqual(wanted, sent)
  )
}
