/** What was called: logs, traces, feedback, exports and analytics, as one service package (management contract, sections 18 and 19). */
import type { ServicePlugin } from '@gateway/contract'
import { feedbackRoutes } from './feedback.ts'
import { graphRoutes } from './graphs.ts'
import { groupRoutes } from './groups.ts'
import { ingestRoutes } from './ingest.ts'
import { logRoutes } from './logs.ts'

const plugin: ServicePlugin = {
  name: 'observability',
  title: 'Logs and analytics',
  open: (context) => ({
    routes: [
      ...groupRoutes(context),
      ...graphRoutes(context),
      ...ingestRoutes(context),
      ...logRoutes(context),
      ...feedbackRoutes(context),
    ],
  }),
}

export default plugin
