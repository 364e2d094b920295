/** Starting an export of log entries, stopping it, and downloading its file. */
import { useState } from 'preact/hooks'
import { type ApiError, call, load, urlOf } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatNumber } from '../../parts/cells.tsx'
import { asApiError, useWhileSeen } from '../../query.tsx'
import type { ExtrasProps } from '../objects/extras.ts'

/**
 * The link has the gateway's public URL, which the operator's browser may not reach; the page's own origin serves the
 * file too.
 */
function hereOf(url: string): string {
  const { pathname, search } = new URL(url, location.origin)
  return pathname + search
}

/** The polling interval for a running export. */
const refreshMs = 3_000

export function ExportExtras({ row, onChanged }: ExtrasProps) {
  const path = { id: row.id }
  const [error, setError] = useState<ApiError | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const run = async (work: () => Promise<void>) => {
    setError(null)
    try {
      await work()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const act = (action: '/v1/logs/exports/{id}/start' | '/v1/logs/exports/{id}/cancel') =>
    run(async () => {
      await call('POST', action, { path })
      onChanged()
    })
  const download = () =>
    run(async () => {
      const { signed_url: url } = await load(urlOf('/v1/logs/exports/{id}/download', { path }))
      setLink(hereOf(url))
    })
  const status = String(row.status)
  useWhileSeen(() => {
    if (status === 'in_progress') onChanged()
  }, refreshMs)
  return (
    <section>
      <h2>{status === 'success' ? 'File' : 'Run'}</h2>
      {error !== null && <Alert>{error.message}</Alert>}
      {status === 'success' && (
        <p class="about">
          {row.total === 1 ? '1 entry' : `${formatNumber(row.total)} entries`} as JSON lines.
        </p>
      )}
      <div class="buttons">
        {['draft', 'failed', 'stopped'].includes(status) && (
          <button type="button" onClick={() => void act('/v1/logs/exports/{id}/start')}>
            Start
          </button>
        )}
        {status === 'in_progress' && (
          <>
            <button type="button" onClick={onChanged}>
              Refresh
            </button>
            <button type="button" onClick={() => void act('/v1/logs/exports/{id}/cancel')}>
              Stop
            </button>
          </>
        )}
        {status === 'success' && (
          <button type="button" class="primary" onClick={() => void download()}>
            Download
          </button>
        )}
        {link !== null && (
          <a href={link} download>
            Download the file (the link works for one hour)
          </a>
        )}
      </div>
    </section>
  )
}
