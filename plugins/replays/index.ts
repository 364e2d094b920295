/** Replays: logged requests run again against another config, with a comparison of the answers. */
import { createScheduler, engineOf } from '@gateway/batches/engine'
import type { ServicePlugin } from '@gateway/contract'
import { createPairDoor } from './door.ts'
import { pruneJob } from './prune.ts'
import { createReports } from './read.ts'
import { replayRoutes } from './routes.ts'
import { runReplay } from './run/run-replay.ts'
import { createShadowIntake, shadowJob } from './shadowed.ts'
import { createReplayStore } from './store.ts'

const plugin: ServicePlugin = {
  name: 'replays',
  title: 'Replays',
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
}

export default plugin
