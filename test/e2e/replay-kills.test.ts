/** A replay of 2,000 requests whose process is killed three times. */
import { runWithKills } from '../plugins/replays/kill-run.ts'

const kills = 3

describe('a replay of 2,000 requests whose process is killed', function () {
  // Each start takes a while on a busy machine.
  this.timeout(900_000)

  it('has every pair exactly once', async () => {
    const run = { requests: 2000, kills, concurrency: 16, affordable: null }
    const { pairs, calls, entries } = await runWithKills(run)
    console.log(`      ${kills} kills: ${pairs} pairs, ${calls} upstream calls, ${entries} log entries`)
  })
})
