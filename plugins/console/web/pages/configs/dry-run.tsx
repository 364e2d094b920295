/** Dry runs of a config. The gateway computes the result without calling a provider. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, call, isRow, type Row } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { asApiError } from '../../query.tsx'

export interface DryRunQuery {
  answer: Schema<'DryRun'> | null
  error: ApiError | null
  isBusy: boolean
  run: (body: Row, headers?: Record<string, string>) => Promise<void>
  /** Repeats the last dry run, because shares and breakers change over time. */
  refresh: () => Promise<void>
}

interface Asked {
  body: Row
  headers: Record<string, string>
}

const hello: Row = {
  model: 'any',
  messages: [{ role: 'user', content: 'hello' }],
}

/** The config in the editor if it differs from the saved one; null if it does not, or is not valid JSON yet. */
export function draftOf(text: string | undefined, saved: unknown): Row | null {
  try {
    const draft: unknown = JSON.parse(text ?? '')
    const isOther = isRow(draft) && JSON.stringify(draft) !== JSON.stringify(saved)
    return isOther ? draft : null
  } catch {
    return null
  }
}

/** The time without typing after which a draft runs. */
const pauseMs = 600

/**
 * Runs once with a minimal request, which suffices to show the targets.
 * @param draft the config to run instead of the saved one
 */
export function useDryRun(config: Row, draft: Row | null, isAllowed: boolean): DryRunQuery {
  const [answer, setAnswer] = useState<Schema<'DryRun'> | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const { slug, workspace_id: workspace, version } = config
  const last = useRef<Asked>({ body: hello, headers: {} })
  const isFirst = useRef(true)
  const written = draft === null ? String(slug) : JSON.stringify(draft)
  const ask = useCallback(async () => {
    const question = last.current
    const { body, headers } = question
    const asked = {
      endpoint: '/v1/chat/completions',
      headers: { ...headers, 'x-gateway-config': written },
      body,
    }
    const own = typeof workspace === 'string' ? { 'x-gateway-workspace-id': workspace } : {}
    try {
      const found = await call('POST', '/v1/dry-run', { body: asked, headers: own })
      // A newer dry run may have been answered earlier.
      if (question === last.current) setAnswer(found)
    } catch (fault) {
      if (question === last.current) setError(asApiError(fault))
    }
  }, [written, workspace])
  const run = useCallback(
    async (body: Row, headers: Record<string, string> = {}) => {
      last.current = { body, headers }
      setBusy(true)
      setError(null)
      await ask()
      setBusy(false)
    },
    [ask],
  )
  useEffect(() => {
    if (!isAllowed) return
    const { body, headers } = last.current
    const timer = setTimeout(() => void run(body, headers), isFirst.current ? 0 : pauseMs)
    isFirst.current = false
    return () => clearTimeout(timer)
  }, [written, workspace, version])
  return { answer, error, isBusy, run, refresh: ask }
}
