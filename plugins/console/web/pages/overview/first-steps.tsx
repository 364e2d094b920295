/** The steps from an empty gateway to the first request in the log. Hidden once all are done. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { urlOf } from '../../api.ts'
import { Badge, textOf } from '../../parts/cells.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { useQuery } from '../../query.tsx'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'

interface Props {
  hasRequest: boolean
  /** Whether the state is loaded. */
  isKnown: boolean
  /** Called once it is known whether any steps are shown. */
  onSettled: () => void
}

export function FirstSteps({ hasRequest, isKnown, onSettled }: Props) {
  const may = useMay()
  const mayBegin = may(['providers.create'])
  const providers = useQuery(mayBegin ? urlOf('/v1/providers', { query: { page_size: 1 } }) : null)
  const keys = useQuery(mayBegin ? urlOf('/v1/api-keys', { query: { page_size: 1 } }) : null)
  const [provider] = providers.data?.data ?? []
  const slug = provider === undefined ? null : textOf(provider.slug)
  const models = useQuery(
    !isKnown || slug === null || hasRequest
      ? null
      : urlOf('/v1/models', { query: { limit: 1, provider: slug } }),
  )
  const hasProvider = (providers.data?.total ?? 0) > 0
  const hasKey = (keys.data?.total ?? 0) > 0
  const isSettled =
    !mayBegin || (isKnown && [providers, keys].every(({ data, error }) => data !== null || error !== null))
  useEffect(() => {
    if (isSettled) onSettled()
  }, [isSettled])
  if (!mayBegin || !isKnown || providers.data === null || keys.data === null) return null
  if (hasProvider && hasKey && hasRequest) return null
  const model = textOf(models.data?.data[0]?.id ?? `@${slug ?? 'SLUG'}/MODEL`)
  const command = [
    `curl ${location.origin}/v1/chat/completions \\`,
    `  -H "authorization: Bearer $GATEWAY_KEY" -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }).replaceAll("'", "'\\''")}'`,
  ].join('\n')
  return (
    <section class="panel steps" aria-label="First steps">
      <h2>First steps</h2>
      <ol>
        <Step isDone={hasProvider}>
          <Link to={`${root}/providers/new`}>Connect a provider</Link>. Its key is stored encrypted.
        </Step>
        <Step isDone={hasKey}>
          <Link to={`${root}/keys?create=1`}>Create a key</Link> for an application. You see it only once.
        </Step>
        <Step isDone={hasRequest}>
          Send a request with your key in the GATEWAY_KEY variable, or{' '}
          <Link to={`${root}/playground`}>try it in the browser</Link>:
          <pre class="body" tabIndex={0} role="region" aria-label="First request">
            {command}
          </pre>
          <CopyButton text={command} />
        </Step>
        <Step isDone={hasRequest}>
          <Link to={`${root}/logs`}>See what became of it</Link>: the request, the response and its cost.
        </Step>
      </ol>
    </section>
  )
}

const Step = ({ isDone, children }: { isDone: boolean; children: ComponentChildren }) => (
  <li>
    <Badge tone={isDone ? 'good' : 'plain'}>{isDone ? 'done' : 'to do'}</Badge> {children}
  </li>
)
