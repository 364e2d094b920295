/** Starts and stops an export of log entries, and downloads its file. */
import { useState } from 'preact/hooks'
import { call, load, urlOf } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatNumber } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { useWhileSeen } from '../../query.tsx'
import type { ExtrasProps } from '../objects/extras.ts'

/**
 * Replaces the link's origin. The link has the gateway's public URL, which the operator's browser may not reach, but
 * the page's own origin serves the file too.
 */
function hereOf(url: string): string {
  const { pathname, search } = new URL(url, location.origin)
  return pathname + search
}

/** The polling interval for a running export. */
const refreshMs = 3_000

export function ExportExtras({ row, object }: ExtrasProps) {
  const path = { id: row.id }
  const { error, change } = useChange(object)
  const [link, setLink] = useState<string | null>(null)
  const start = () =>
    change({
      expect: (shown) => ({ ...shown, status: 'in_progress' }),
      send: () => call('POST', '/v1/logs/exports/{id}/start', { path }),
      refused: 'The export was not started',
    })
  const stop = () =>
    change({
      expect: (shown) => ({ ...shown, status: 'stopped' }),
      send: () => call('POST', '/v1/logs/exports/{id}/cancel', { path }),
      said: () => ({
        text: 'The export was stopped.',
        undo: () => call('POST', '/v1/logs/exports/{id}/start', { path }),
      }),
      refused: 'The export was not stopped',
    })
  const download = () =>
    change({
      async send() {
        const { signed_url: url } = await load(urlOf('/v1/logs/exports/{id}/download', { path }))
        setLink(hereOf(url))
      },
      refused: 'The file cannot be downloaded',
    })
  const status = String(row.status)
  useWhileSeen(() => {
    if (status === 'in_progress') object.reload()
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
          <button type="button" onClick={start}>
            Start
          </button>
        )}
        {status === 'in_progress' && (
          <>
            <button type="button" onClick={object.reload}>
              Refresh
            </button>
            <button type="button" onClick={stop}>
              Stop
            </button>
          </>
        )}
        {status === 'success' && (
          <button type="button" class="primary" onClick={download}>
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
