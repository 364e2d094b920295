/** Replays run logged requests again against another config and compare the answers. */
import { createScheduler, engineOf, workNeeds } from '@gateway/batches/engine'
import { defineService } from '@gateway/contract'
import { engineNeeds } from '@gateway/control-plane/engine'
import { createPairDoor } from './door.ts'
import { pruneJob } from './prune.ts'
import { createReports } from './read.ts'
import { replayRoutes } from './routes.ts'
import { runReplay } from './run/run-replay.ts'
import { createShadowIntake, shadowJob } from './shadowed.ts'
import { createReplayStore } from './store.ts'

export default defineService({
  name: 'replays',
  title: 'Replays',
  needs: [...workNeeds, ...engineNeeds, 'embeddingModel', 'logs', 'planInference'],
  open(given) {
    const engine = engineOf(given)
    const { context } = engine
    const store = createReplayStore(context)
    const scheduler = createScheduler({
      context,
      kind: 'replay',
      store,
      run: (replay, around) => runReplay({ engine, store }, replay, around),
      look: engine.handOver.nudge,
    })
    const reports = createReports(engine, store)
    const door = createPairDoor(engine, store)
    return {
      routes: replayRoutes(context, { engine, store, reports, nudge: scheduler.nudge }),
      jobs: [pruneJob(engine, store), shadowJob(engine, store)],
      shadowed: createShadowIntake({ engine, store, door }),
      async close() {
        await Promise.all([scheduler.close(), door.close()])
      },
    }
  },
})
