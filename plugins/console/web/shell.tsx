/** Page frame: skip link, navigation by rights, sign-out, theme. */
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { call } from './api.ts'
import { Alert } from './parts/alert.tsx'
import { KeyHelp } from './parts/key-help.tsx'
import { LeaveDialog } from './parts/leave-dialog.tsx'
import { Palette } from './parts/palette.tsx'
import { ThemeSwitch } from './parts/theme.tsx'
import { Toasts } from './parts/toast.tsx'
import { asApiError } from './query.tsx'
import { keyScopes, resources, scopesFor } from './resources.ts'
import { Link, root } from './router.tsx'
import { SessionContext, useMay } from './session.tsx'
import { askToLeave } from './unsaved.tsx'
import { WorkspaceSwitch } from './workspace.tsx'

interface NavEntry {
  path: string
  title: string
  scopes: readonly string[]
}

const resourceEntries = (...paths: string[]): NavEntry[] =>
  resources
    .filter(({ path }) => paths.includes(path))
    .map((resource) => ({ ...resource, scopes: scopesFor(resource, 'list') }))

const groups: readonly { title: string; entries: readonly NavEntry[] }[] = [
  {
    title: 'See',
    entries: [
      { path: '', title: 'Overview', scopes: [] },
      { path: 'logs', title: 'Logs', scopes: ['logs.list'] },
      { path: 'analytics', title: 'Analytics', scopes: ['analytics.view'] },
      {
        path: 'spending',
        title: 'Limits and money',
        scopes: ['analytics.view', ...keyScopes('list'), 'policies.list', 'providers.list'],
      },
      { path: 'capacity', title: 'Capacity', scopes: ['providers.list'] },
      { path: 'replays', title: 'Replays', scopes: ['replays.list'] },
      { path: 'playground', title: 'Playground', scopes: ['completions.write'] },
      { path: 'batches', title: 'Batches and files', scopes: ['completions.write'] },
    ],
  },
  {
    title: 'Route',
    entries: resourceEntries(
      'keys',
      'providers',
      'configs',
      'prompts',
      'guardrails',
      'policies',
      'rate-limits',
    ),
  },
  {
    title: 'Prompts and tools',
    entries: resourceEntries(
      'partials',
      'labels',
      'collections',
      'mcp-integrations',
      'mcp-servers',
      'agent-integrations',
      'agent-servers',
    ),
  },
  {
    title: 'Manage',
    entries: [
      ...resourceEntries('workspaces', 'users', 'webhooks', 'exports', 'secret-references'),
      { path: 'scim', title: 'SCIM', scopes: ['scim_mappings.list'] },
      { path: 'audit', title: 'Audit', scopes: ['audit_logs.list'] },
      { path: 'settings', title: 'Settings', scopes: ['organisation_settings.read'] },
    ],
  },
]

/**
 * Scrolls to the link of the current page in the column or, on a narrow screen, in the row of links. `scrollIntoView`
 * would also make the Tab key continue from that link, after the skip link.
 */
function showCurrent(nav: HTMLElement | null): void {
  const link = nav?.querySelector('[aria-current]')?.getBoundingClientRect()
  const column = nav?.parentElement
  if (nav === null || link === undefined || column == null) return
  const line = nav.getBoundingClientRect()
  nav.scrollBy({ left: (link.left + link.right - line.left - line.right) / 2 })
  const { top, bottom } = column.getBoundingClientRect()
  column.scrollBy({ top: Math.min(0, link.top - top) + Math.max(0, link.bottom - bottom) })
}

interface Props {
  segments: string[]
  onSignedOut: () => void
  children: ComponentChildren
}

export function Shell({ segments, onSignedOut, children }: Props) {
  const session = useContext(SessionContext)
  const may = useMay()
  const [error, setError] = useState<string | null>(null)
  const here = segments[0] ?? ''
  const nav = useRef<HTMLElement>(null)
  useEffect(() => showCurrent(nav.current), [here])
  const shown = groups.map((group) => ({
    ...group,
    entries: group.entries.filter(({ scopes }) => may(scopes)),
  }))
  const signOut = async () => {
    try {
      await call('POST', '/v1/auth/logout', { isSignIn: true })
      onSignedOut()
    } catch (fault) {
      const known = asApiError(fault)
      if (known.status === 401) onSignedOut()
      else setError(known.message)
    }
  }
  const skip = (event: Event) => {
    event.preventDefault()
    document.getElementById('main')?.focus()
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to the content; the handler moves the focus as well */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <div class="shell">
        <header>
          <div class="sidebar">
            <p class="brand">
              <Link to={root}>Gateway</Link>
            </p>
            <Palette entries={shown.flatMap(({ entries }) => entries)} />
            <WorkspaceSwitch />
            <nav ref={nav} aria-label="Pages of the console">
              {shown
                .filter(({ entries }) => entries.length > 0)
                .map(({ title, entries }) => (
                  <ul key={title} aria-label={title}>
                    {entries.map((entry) => (
                      <li key={entry.path}>
                        <Link
                          to={entry.path === '' ? root : `${root}/${entry.path}`}
                          current={entry.path === here || (entry.path === 'logs' && here === 'traces')}
                        >
                          {entry.title}
                        </Link>
                      </li>
                    ))}
                  </ul>
                ))}
            </nav>
            <div class="who">
              <p>
                <Link to={`${root}/account`} current={here === 'account'}>
                  {session.name}
                </Link>
              </p>
              <ThemeSwitch />
              <button type="button" onClick={() => askToLeave(() => void signOut())}>
                Sign out
              </button>
              {error !== null && <Alert>{error}</Alert>}
            </div>
          </div>
        </header>
        {children}
      </div>
      <KeyHelp />
      <LeaveDialog />
      <Toasts />
    </>
  )
}
