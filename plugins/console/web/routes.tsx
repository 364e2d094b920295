/** Maps paths to pages. Rarely used pages are loaded when they are opened. */
import { CreatePage } from './pages/objects/create.tsx'
import { ListPage } from './pages/objects/list.tsx'
import { ObjectPage } from './pages/objects/object.tsx'
import { Overview } from './pages/overview/overview.tsx'
import { NotLoaded, type Loader as PartLoader, useLoaded } from './parts/loaded.tsx'
import { nearest } from './parts/nearest.ts'
import { Page } from './parts/page.tsx'
import { Skeleton } from './parts/skeleton.tsx'
import { resources } from './resources.ts'
import { Link, root } from './router.tsx'

interface PageProps {
  id: string
}

type Loader = PartLoader<PageProps>

const logs: Loader = async () => (await import('./pages/logs/logs.tsx')).LogsPage
const log: Loader = async () => (await import('./pages/log-entry/log-entry.tsx')).LogEntryPage

/** Pages by the first segment of the path: the page of the list, and the page of one object. */
const pages: Readonly<Record<string, { all: Loader | null; one: Loader | null; create?: Loader }>> = {
  logs: { all: logs, one: log },
  traces: { all: null, one: async () => (await import('./pages/trace/trace.tsx')).TracePage },
  analytics: { all: async () => (await import('./pages/analytics/analytics.tsx')).AnalyticsPage, one: null },
  spending: { all: async () => (await import('./pages/spending/spending.tsx')).SpendingPage, one: null },
  playground: {
    all: async () => (await import('./pages/playground/playground.tsx')).PlaygroundPage,
    one: null,
  },
  capacity: { all: async () => (await import('./pages/capacity/capacity.tsx')).CapacityPage, one: null },
  replays: {
    all: async () => (await import('./pages/replays/replays.tsx')).ReplaysPage,
    one: async () => (await import('./pages/replays/replay.tsx')).ReplayPage,
    create: async () => (await import('./pages/replays/new-replay.tsx')).NewReplayPage,
  },
  batches: { all: async () => (await import('./pages/batches/batches.tsx')).BatchesPage, one: null },
  scim: { all: async () => (await import('./pages/scim/scim.tsx')).ScimPage, one: null },
  audit: { all: async () => (await import('./pages/audit/audit.tsx')).AuditPage, one: null },
  account: { all: async () => (await import('./pages/account/account.tsx')).AccountPage, one: null },
  gallery: { all: async () => (await import('./pages/gallery/gallery.tsx')).GalleryPage, one: null },
  settings: { all: async () => (await import('./pages/settings/settings.tsx')).SettingsPage, one: null },
}

const newProvider: Loader = async () => (await import('./pages/providers/new-provider.tsx')).NewProviderPage

export function Routes({ segments }: { segments: string[] }) {
  const [first, id, more] = segments
  if (first === undefined) return <Overview />
  if (more !== undefined) return <NotFound path={first} />
  const resource = resources.find(({ path }) => path === first)
  if (resource !== undefined) {
    if (id === undefined) return <ListPage resource={resource} />
    if (id === 'new' && first === 'providers') return <Lazy load={newProvider} id="" />
    if (id === 'new' && resource.canCreate !== false) return <CreatePage resource={resource} />
    return <ObjectPage resource={resource} id={id} />
  }
  const page = Object.hasOwn(pages, first) ? pages[first] : undefined
  const load = id === undefined ? page?.all : id === 'new' ? (page?.create ?? page?.one) : page?.one
  return load === undefined || load === null ? <NotFound path={first} /> : <Lazy load={load} id={id ?? ''} />
}

function NotFound({ path }: { path: string }) {
  const meant = nearest(path, [...resources.map((one) => one.path), ...Object.keys(pages)])
  return (
    <Page title="Not found">
      <p>
        The console has no page with this address.
        {meant !== null && (
          <>
            {' '}
            Did you mean <Link to={`${root}/${meant}`}>{meant}</Link>?
          </>
        )}
      </p>
    </Page>
  )
}

function Lazy({ load, id }: { load: Loader; id: string }) {
  const { Component, isFailed } = useLoaded(load)
  if (Component !== null) return <Component id={id} />
  return (
    <main id="main" aria-busy={isFailed ? 'false' : 'true'}>
      <h1>Console</h1>
      {isFailed ? <NotLoaded what="The page" /> : <Skeleton />}
    </main>
  )
}
