/** Logs, traces, feedback, exports and analytics, as one service package (management contract, sections 18 and 19). */
import { defineService } from '@gateway/contract'
import { engineNeeds } from '@gateway/control-plane/engine'
import { errorGroupRoute } from './error-groups.ts'
import { exportRoutes } from './exports/routes.ts'
import { feedbackRoutes } from './feedback.ts'
import { graphRoutes } from './graphs.ts'
import { groupRoutes } from './groups.ts'
import { ingestRoutes } from './ingest.ts'
import { logRoutes } from './logs.ts'
import { streamRoute } from './stream.ts'

export default defineService({
  name: 'observability',
  title: 'Logs and analytics',
  needs: [...engineNeeds, 'beginWork', 'blobs', 'logEntries', 'logs', 'publicUrl', 'shared', 'stopping'],
  open(context) {
    const exports = exportRoutes(context)
    return {
      routes: [
        // Registered first: otherwise `exports` in `/logs/exports` would be read as the id of an entry.
        ...exports.routes,
        errorGroupRoute(context),
        streamRoute(context),
        ...groupRoutes(context),
        ...graphRoutes(context),
        ...ingestRoutes(context),
        ...logRoutes(context),
        ...feedbackRoutes(context),
      ],
      jobs: [exports.job],
    }
  },
})
