/** Starting an export of log entries, stopping it, and downloading its file. */
import { useState } from 'preact/hooks'
import { type ApiError, call } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { asApiError } from '../query.tsx'
import type { ExtrasProps } from './extras.ts'

/** The link begins with the gateway's public address, which the browser of an operator may not reach: the page's own serves it too. */
function hereOf(url: string): string {
  const { pathname, search } = new URL(url, location.origin)
  return pathname + search
}

export function ExportExtras({ row, onChanged }: ExtrasProps) {
  const path = `/v1/logs/exports/${encodeURIComponent(String(row.id))}`
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
  const act = (action: string) =>
    run(async () => {
      await call('POST', `${path}/${action}`, {})
      onChanged()
    })
  const download = () =>
    run(async () => {
      const { signed_url: url } = await call('GET', `${path}/download`)
      setLink(typeof url === 'string' ? hereOf(url) : null)
    })
  const status = String(row.status)
  return (
    <section>
      <h2>Run</h2>
      {error !== null && <Alert>{error.message}</Alert>}
      <div class="buttons">
        {['draft', 'failed', 'stopped'].includes(status) && (
          <button type="button" onClick={() => void act('start')}>
            Start
          </button>
        )}
        {status === 'in_progress' && (
          <>
            <button type="button" onClick={onChanged}>
              Refresh
            </button>
            <button type="button" onClick={() => void act('cancel')}>
              Stop
            </button>
          </>
        )}
        {status === 'success' && (
          <button type="button" onClick={() => void download()}>
            Download
          </button>
        )}
        {link !== null && (
          <a href={link} download>
            The file, for one hour
          </a>
        )}
      </div>
    </section>
  )
}
