/** Replays whose process is killed. The drill `e2e/replay-kills.test.ts` does the same with 2,000 requests. */
import { runWithKills } from './kill-run.ts'

describe('a replay whose process is killed', () => {
  it('has every pair exactly once', () =>
    runWithKills({ requests: 300, kills: 2, concurrency: 8, affordable: null }))

  it('sends its provider no more requests than its budget covers', () =>
    runWithKills({ requests: 300, kills: 2, concurrency: 8, affordable: 150 }))
})
